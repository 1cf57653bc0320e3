/** Elections on a real API: three replicas, each behind a network of its own. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/core/clock.ts'
import { aborted } from '../../src/core/lifecycle.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { leading } from '../../src/kube/election.ts'
import { leases } from '../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { never } from '../support/never.ts'
import { teardown } from '../support/test-scope.ts'

const quick = { leaseDurationMs: 2_000, renewDeadlineMs: 1_200, retryPeriodMs: 200 }
const patient = { leaseDurationMs: 8_000, renewDeadlineMs: 6_000, retryPeriodMs: 100 }

async function anElection(t: TestContext, durations: typeof quick) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const leaders: string[] = []
  const overlaps: string[] = []

  async function join(identity: string) {
    const proxy = await startFaultProxy(t, plane.url)
    const client = kubeClient(t, { ...plane.connection(), server: proxy.url })
    const elected = leading(
      client,
      { clock: systemClock, random: systemRandom, log: silentLog, namespace, name: 'hub', identity, ...durations },
      async (signal) => {
        leaders.push(identity)
        if (leaders.length > 1) overlaps.push(leaders.join())
        await aborted(signal)
        leaders.splice(leaders.indexOf(identity), 1)
      },
    )
    const stop = new AbortController()
    const running = elected(stop.signal)
    const leave = async () => {
      stop.abort()
      await running
    }
    teardown(t, leave)
    return { identity, proxy, leave }
  }

  return {
    replicas: await Promise.all(['a', 'b', 'c'].map(join)),
    overlaps,
    leader: (...except: (string | undefined)[]) =>
      eventually('one leads', () => leaders.find((identity) => !except.includes(identity))),
    lease: () => kube.of(leases, namespace).get('hub'),
  }
}

describe('an election', needsControlPlane, () => {
  test('has one leader at a time, whose loss of the network or orderly stop makes way for another', async (t) => {
    const { replicas, overlaps, leader, lease } = await anElection(t, quick)
    const who = (identity: string) => replicas.find((replica) => replica.identity === identity)

    const first = await leader()
    const held = (await lease()).spec
    assert.match(held?.holderIdentity ?? '', new RegExp(`^${first}_.{8}$`))
    assert.deepEqual([held?.leaseDurationSeconds, held?.leaseTransitions], [2, 0])

    who(first)?.proxy.halfOpen()
    const second = await leader(first)
    assert.equal((await lease()).spec?.leaseTransitions, 1)

    who(first)?.proxy.heal()
    who(second)?.proxy.refuse()
    who(second)?.proxy.resetAll()
    const third = await leader(second)
    who(second)?.proxy.heal()

    await who(third)?.leave()
    await leader(third)
    await Promise.all(replicas.map(({ leave }) => leave()))
    never('doubled', () => assert.deepEqual(overlaps, []))
    assert.ok(!(await lease()).spec?.holderIdentity, 'the last one has released it')
  })

  test('a leader outlives connections that break again and again', async (t) => {
    const { replicas, overlaps, leader, lease } = await anElection(t, patient)
    await leader()
    for (let round = 0; round < 10; round++) {
      const before = (await lease()).spec?.renewTime
      for (const { proxy } of replicas) proxy.resetAll()
      await eventually('it renews', async () => (await lease()).spec?.renewTime !== before)
    }
    never('doubled', () => assert.deepEqual(overlaps, []))
    assert.equal((await lease()).spec?.leaseTransitions, 0)
  })
})
