/** What the hub asks of a cluster in order to answer it: nothing without need, nothing for ever, and never about itself. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { before, describe, test } from 'node:test'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { SpokeStandIn } from '../../support/spoke-stand-in.ts'
import { answerAsApiServer, neverAnswer, startSpokeStandIn } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const reviewPath = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const link = 'https://glass.example.com'

describe('what the webhook asks of a cluster', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, metrics: await metrics })
  })

  const from = (seconds: number) => new Date(timed.clock.now().getTime() + seconds * 1_000).toISOString()
  const sessions = () => scene.admin.of(BreakglassSession.resource, scene.namespace)

  async function session(spec: BreakglassSession['spec']): Promise<string> {
    const name = uniqueName('session')
    await sessions().create({ metadata: { name }, spec })
    const times = { approvedAt: from(0), actualStartTime: from(0), expiresAt: from(3_600) }
    const body = { status: { state: 'Approved', ...times, approvals: [{ approver: 'lead@example.com', at: from(0) }] } }
    await sessions().patch(name, { type: 'merge', body }, { subresource: 'status' })
    return name
  }

  /** Says that every group may everything, and takes the hub for `somebody`. */
  const sayYes = (request: IncomingMessage, response: ServerResponse) => {
    const [path] = (request.url ?? '').split('?')
    const isSelf = path === '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    if (path !== reviewPath && !isSelf) return answerAsApiServer(request, response)
    const status = isSelf ? { userInfo: { username: 'somebody' } } : { allowed: true }
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ kind: 'Review', status }))
  }

  async function standInCluster(t: TestScope): Promise<{ spoke: SpokeStandIn; cluster: string; asked(): string[] }> {
    const spoke = await startSpokeStandIn(t)
    spoke.answer = sayYes
    const cluster = await scene.cluster({}, { kubeconfig: spoke.kubeconfig })
    // The hub looks by itself whether the cluster is there, and what it may do.
    const isLook = (path: string) => path === '/version' || path.includes('selfsubjectaccessreviews')
    return { spoke, cluster, asked: () => spoke.asked.filter((path) => !isLook(path)) }
  }

  test('A64: without a session and a policy the cluster is not called, and the link is there if there is something to ask for', async (t) => {
    const { cluster, asked } = await standInCluster(t)
    const reason = async (groups: string[]) => {
      const { status, body } = await scene.ask(cluster, 'dev@example.com', { groups, namespace: 'default' })
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body.status).sort(), ['allowed', 'reason'])
      assert.equal(body.status.allowed, false)
      return body.status.reason as string
    }
    await eventually('the token is known', async () => (await scene.ask(cluster, 'x')).status === 200)
    scene.settings.frontendUrl = link
    assert.ok(!(await reason(['devs'])).includes('search='))
    await scene.escalation({
      escalatedGroup: 'admins',
      allowed: { clusters: [cluster], groups: ['devs'] },
      approvers: { users: ['lead@example.com'] },
    })
    const linked = await eventually('the link is there', () => reason(['devs']), {
      until: (text) => text.includes(link),
    })
    assert.equal(linked.split(`${link}?search=${cluster}`).length, 2, linked)
    assert.ok(!(await reason(['sales'])).includes('search='), 'nothing for them to ask for')
    delete scene.settings.frontendUrl
    assert.ok(!(await reason(['devs'])).includes('search='), 'no page')
    assert.deepEqual(asked(), [])
  })

  test('A65: about itself and the names it asks by, the hub has no opinion and asks nobody', async (t) => {
    const { cluster, asked } = await standInCluster(t)
    await session({ cluster, user: 'dev@example.com', grantedGroup: 'admins' })
    for (const user of ['system:breakglass-session', 'system:auth-checker', 'somebody'])
      await session({ cluster, user, grantedGroup: 'admins' })
    await eventually(
      'the cluster is asked',
      async () => (await scene.ask(cluster, 'dev@example.com')).body.status?.allowed,
    )
    const isItself = ({ body }: { body: { status: { allowed: boolean; reason: string } } }) =>
      !body.status.allowed && /no opinion on itself/.test(body.status.reason)
    await eventually('it knows who it is', () => scene.ask(cluster, 'somebody'), { until: isItself })
    const before = asked().length
    for (const user of ['system:breakglass-session', 'system:auth-checker', 'somebody'])
      for (const verb of ['get', 'list', 'create']) {
        const { body } = await scene.ask(cluster, user, { verb })
        assert.deepEqual([body.status.allowed, body.status.denied], [false, undefined], user)
      }
    assert.equal(asked().length, before)
  })

  test('A65a: whom a real API server takes it for, the hub finds out', async () => {
    const user = uniqueName('hub')
    const certificate = await timed.plane.issueClientCertificate({
      commonName: user,
      organizations: ['system:masters'],
    })
    const cluster = await scene.cluster({}, { kubeconfig: timed.plane.kubeconfig({ certificate }) })
    const group = await scene.groupMay([{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }])
    for (const name of [user, 'dev@example.com']) await session({ cluster, user: name, grantedGroup: group })
    await eventually(
      'the cluster is asked',
      async () => (await scene.ask(cluster, 'dev@example.com')).body.status?.allowed,
    )
    await eventually('it knows who it is', async () =>
      /no opinion on itself/.test((await scene.ask(cluster, user)).body.status.reason),
    )
  })

  test('A66: a cluster that does not answer is waited for until the deadline, and asked again later', async (t) => {
    const { spoke, cluster, asked } = await standInCluster(t)
    const name = await session({ cluster, user: 'dev@example.com', grantedGroup: 'admins' })
    await eventually(
      'the session is known',
      async () => (await scene.ask(cluster, 'dev@example.com')).body.status?.allowed,
    )
    spoke.answer = neverAnswer
    const before = asked().length
    const startedAt = timed.clock.now().getTime()
    const asking = scene.ask(cluster, 'dev@example.com', { verb: 'delete' })
    await eventually('the cluster is asked', () => asked().length > before)
    await timed.clock.advance(1_500 - (timed.clock.now().getTime() - startedAt))
    const { status, body } = await asking
    assert.equal(timed.clock.now().getTime() - startedAt, 1_500, 'no more time has passed')
    assert.deepEqual([status, body.status.allowed, body.status.denied], [200, false, undefined])
    assert.match(body.status.reason, new RegExp(`${name} may cover this, but that could not be verified`))
    spoke.answer = sayYes
    await eventually('it is allowed', async () => {
      const again = await scene.ask(cluster, 'dev@example.com', { verb: 'delete' })
      return again.body.status.allowed
    })
  })

  test('an answer is remembered for some seconds, and for no other question', async (t) => {
    const { cluster, asked, spoke } = await standInCluster(t)
    await session({ cluster, user: 'dev@example.com', grantedGroup: 'admins' })
    await eventually('it is allowed', async () => (await scene.ask(cluster, 'dev@example.com')).body.status?.allowed)
    const reviews = () => asked().filter((path) => path.startsWith(reviewPath)).length
    const before = reviews()
    for (let n = 0; n < 20; n += 1) assert.ok((await scene.ask(cluster, 'dev@example.com')).body.status.allowed)
    assert.equal(reviews(), before)
    await scene.ask(cluster, 'dev@example.com', { name: 'other' })
    assert.equal(reviews(), before + 1)
    spoke.answer = (request, response) => {
      if (!request.url?.startsWith(reviewPath)) return sayYes(request, response)
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"status":{"allowed":false}}')
    }
    await timed.clock.advance(10_000)
    assert.equal((await scene.ask(cluster, 'dev@example.com')).body.status.allowed, false)
  })

  test('whatever a session allows is its last activity, and counts', async (t) => {
    const { cluster } = await standInCluster(t)
    const name = await session({ cluster, user: 'dev@example.com', grantedGroup: 'admins', idleTimeout: '10m' })
    await eventually('it is allowed', async () => (await scene.ask(cluster, 'dev@example.com')).body.status?.allowed)
    const count = async () => (await sessions().get(name)).status?.activityCount ?? 0
    await timed.clock.advance(30_000)
    const first = await eventually('it is written', count, { until: (n) => n > 0 })
    for (let n = 0; n < 7; n += 1) await scene.ask(cluster, 'dev@example.com', { name: `n${n}` })
    await timed.clock.advance(30_000)
    await eventually('all are counted', count, { until: (n) => n === first + 7 })
    const { lastActivity = '' } = (await sessions().get(name)).status ?? {}
    assert.ok(new Date(lastActivity) <= timed.clock.now())
  })
})
