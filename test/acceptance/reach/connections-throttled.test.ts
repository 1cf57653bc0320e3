/** How fast a cluster is called: as its ClusterConfig has it, and slower where it answers 429. On the fake clock. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createMetrics } from '../../../src/core/metrics.ts'
import { Secret } from '../../../src/core/secret.ts'
import { startApi } from '../../../src/kube/client/testing/api.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import { kubeconfigOf } from '../../support/control-plane/access.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('the pace of calls to a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  const clock = new FakeClock(new Date())
  const metrics = createMetrics()
  let plane: OwnControlPlane
  let scene: ReachScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    // A look whose turn comes by chance would take calls from those that are measured.
    scene = await reachScene(suite, plane, { clock, metrics: await metrics, reach: { checkIntervalMs: 86_400_000 } })
  })
  /** Moves time until it is done. */
  const inTime = async <T>(what: string, doing: Promise<T>, stepMs = 100): Promise<T> => {
    let isDone = false
    const over = () => {
      isDone = true
    }
    doing.then(over, over)
    await advanceUntil(clock, what, () => isDone, stepMs)
    return doing
  }
  const opens = async () =>
    /^lanyard_spoke_opens_total\{result="opened"\} (\d+)$/m.exec(await (await metrics).text())?.[1]
  const looks = async () =>
    (await (await metrics).text()).match(/^lanyard_reach_checks_total.* \d+$/gm)?.join('\n') ?? ''
  /**
   * What the hub hears of late makes it look once more; none has come to an end for longer than a look takes, and than
   * one that came to nothing waits for the next.
   */
  const hubHasLookedEnough = async () => {
    let [before, seen] = ['', await looks()]
    while (seen !== before) {
      for (let step = 0; step < 40; step += 1) {
        await clock.advance(300)
        await delay(10)
      }
      ;[before, seen] = [seen, await looks()]
    }
  }

  test('A37: qps and burst hold beside the looks of the hub, which wait for nobody, and a status alone costs no connection', async (t) => {
    // In this process: while that is held up, the clock of those who wait for an answer stands as well.
    const api = await startApi(t, ({ path, json }) =>
      path === '/version' ? json(200, { major: '1' }) : json(201, { status: { allowed: true } }),
    )
    const facts = { url: api.url, caPem: api.authority.caPem }
    const secret = await scene.secret({ value: kubeconfigOf(facts, { token: Secret.of('opaque') }) })
    const cluster = await scene.config({ kubeconfigSecretRef: scene.ref(secret), qps: 1, burst: 1 })
    const rights = scene.reaches(cluster, 'True', 'PermissionsGranted', 'PermissionsVerified')
    await inTime('the hub has looked', rights)
    await inTime('the hub has looked as often as it wants to', scene.asked(cluster))
    await hubHasLookedEnough()
    const answered: number[] = []
    const call = async () => {
      const { kube } = await scene.spokes.open(cluster)
      await kube.request({ path: '/version' })
      answered.push(clock.now().getTime())
    }

    // While the clock stands: a slow answer must not be the second that the next one has to wait for.
    await call()
    const second = call()
    await clock.advance(999)
    assert.equal(answered.length, 1)
    await clock.advance(1)
    await second
    assert.equal(answered.length, 2)

    const opened = await scene.spokes.open(cluster)
    const [handshakes, opensBefore] = [api.accepted.length, await opens()]
    assert.ok(handshakes > 0 && Number(opensBefore) > 0)
    // More than have their turn within the time that a cluster has for its answer to a look.
    const queued = Array.from({ length: 7 }, call)
    const { metadata, status } = await inTime('the hub has looked again', scene.asked(cluster))
    assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True')
    await inTime('all had their turn', Promise.all(queued))
    // Time goes on while an answer is under way, so it may be late, and never early.
    const [, exactly = 0] = answered
    const since = answered.slice(1).map((at) => at - exactly)
    assert.ok(
      since.every((ms, turn) => ms >= turn * 1_000),
      `${since}: a call a second at most`,
    )

    // The hub wrote the status, and somebody a label.
    await scene.change(cluster, { metadata: { labels: { changed: 'true' } } })
    const { metadata: latest } = await inTime('the hub has looked once more', scene.asked(cluster))
    assert.deepEqual([latest.labels?.['changed'], latest.generation], ['true', metadata.generation])
    assert.equal(await scene.spokes.open(cluster), opened)
    assert.deepEqual([api.accepted.length, await opens()], [handshakes, opensBefore])

    // As a check of the above: a change of the spec does count.
    await scene.change(cluster, { spec: { qps: 2 } })
    await inTime('the hub has looked at the other spec', scene.asked(cluster))
    assert.notEqual(await scene.spokes.open(cluster), opened)
    assert.notEqual(await opens(), opensBefore)
    await scene.remove(cluster)
  })

  test('A74: it is given the time it asks for, calls keep their pace, and a condition tells', async (t) => {
    const asked: { path: string; at: number }[] = []
    let busy: { path: string; seconds: number; times: number } | undefined = { path: '/version', seconds: 3, times: 1 }
    const api = await startApi(t, (request) => {
      asked.push({ path: request.path, at: clock.now().getTime() })
      if (busy?.path === request.path && busy.times > 0) {
        busy.times -= 1
        return request.status(429, 'TooManyRequests', { 'retry-after': String(busy.seconds) })
      }
      if (request.path === '/version') return request.json(200, { major: '1' })
      request.json(201, { status: { allowed: true } })
    })
    const facts = { url: api.url, caPem: api.authority.caPem }
    const secret = await scene.secret({ value: kubeconfigOf(facts, { token: Secret.of('opaque') }) })
    const cluster = await scene.config({ kubeconfigSecretRef: scene.ref(secret), qps: 1, burst: 1 })
    const throttled = () => scene.reaches(cluster, 'True', 'TooManyRequests', 'Throttled')
    const calm = () => inTime('it is calm', scene.reaches(cluster, 'False', 'NotThrottled', 'Throttled'), 1_000)

    const versions = () => asked.filter(({ path }) => path === '/version').length
    await advanceUntil(clock, 'the cluster has answered', () => versions() > 1, 50)
    const [refused, again] = asked
    assert.ok(refused && again && again.at - refused.at >= 3_000, 'not before the time that it asked for')
    await advanceUntil(clock, 'it was asked what the hub may do', () => asked.length > 4, 50)
    const pauses = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0))
    assert.ok(
      pauses.every((ms) => ms >= 1_000),
      `${pauses}: a call a second at most`,
    )
    await scene.reaches(cluster, 'True', 'KubeconfigValidated')
    await throttled()
    await calm()
    const { lastTransitionTime } = await scene.reaches(cluster, 'True', 'KubeconfigValidated')

    // Whoever it is that is answered so.
    busy = { path: '/healthz', seconds: 3, times: 1 }
    const { kube } = await scene.spokes.open(cluster)
    const [before, calledAt] = [asked.length, clock.now().getTime()]
    const call = kube.request({ path: '/healthz' })
    await inTime('the condition tells', throttled())
    const look = asked.slice(before).find(({ path }) => path === '/version')
    assert.ok(look && look.at - calledAt < 3_000, 'the hub looks because of it, not because its turn has come')
    await inTime('the caller has its answer', call)
    await calm()

    // For longer than a look lasts: a cluster that asks for patience is there.
    busy = { path: '/version', seconds: 600, times: 100 }
    await inTime('the hub has looked', scene.asked(cluster))
    await throttled()
    const ready = await scene.reaches(cluster, 'True', 'KubeconfigValidated')
    assert.equal(ready.lastTransitionTime, lastTransitionTime, 'it was so all the time')
    await scene.remove(cluster)
  })
})
