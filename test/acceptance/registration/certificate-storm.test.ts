/** Agents whose certificates fell due while they and the hub could not reach the API server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isTrue } from '../../../src/core/conditions.ts'
import { conditions } from '../../../src/fleet/names.ts'
import type { ClientOptions } from '../../../src/kube/client/index.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import {
  agentScene,
  bootstrapKubeconfig,
  bootstrapUser,
  joinHub,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { traffic } from '../../support/traffic.ts'

const size = 20
/** Renewed from minute 52 to 56. */
const life = { clientCertExpirationSeconds: 4_200 }

/** By agents themselves; what they joined with was asked for by another. */
async function renewalRequests(admin: Kube): Promise<string[]> {
  const { items } = await admin.of(certificateSigningRequests).list()
  return items.map(({ spec }) => spec.username ?? '').filter((user) => user !== bootstrapUser)
}

test(
  'R88b: certificates that fell due while the API server was away for an hour are renewed once each, spread out',
  needsControlPlane,
  async (t) => {
    const { plane, clock, advance } = await timedPlane(t)
    const proxy = await startFaultProxy(t, plane.url)
    const calls = traffic(clock)
    // The loops of hub and agents live by the fake clock; a client that tries again by the real one would lag behind it.
    const client: ClientOptions = { retries: 0, onRequest: calls.onRequest }
    const connection = { ...plane.connection(), server: proxy.url }
    const settings = { autoApprovedUsers: [bootstrapUser] }
    const hub = await joinHub(t, plane, { clock, settings, hub: kubeClient(t, connection, client) })
    const bootstrap = withHub(await bootstrapKubeconfig(plane), { server: proxy.url })
    const names = Array.from({ length: size }, (_, index) => `cluster-${index}`)
    const agents: AgentScene[] = await Promise.all(
      names.map((cluster) => agentScene(t, plane, { clock, client, bootstrap, settings: life, cluster })),
    )
    console.log('made', performance.now())
    const { clusters } = hub.deps.view
    for (const name of names) {
      await advanceUntil(clock, 'its cluster is there', () => clusters.get(name) !== undefined, 100)
      await setAccepted(hub.admin, name)
    }
    const isEachWell = () =>
      agents.every(({ agent }) => agent.state().phase === 'joined') &&
      names.every((name) => isTrue(clusters.get(name)?.status?.conditions, conditions.available))
    await advanceUntil(clock, 'all have joined', isEachWell, 100)
    console.log('joined', performance.now())
    assert.deepEqual(await renewalRequests(hub.admin), [])

    proxy.refuse()
    proxy.resetAll()
    await advance('2m', 40)
    // Nothing but more of the same would happen in between.
    await clock.jumpTo(new Date(clock.now().getTime() + 44 * 60_000))
    await advance('14m', 140)
    console.log('away', performance.now(), calls.count)
    assert.deepEqual(await renewalRequests(hub.admin), [])
    assert.ok(
      agents.every(({ agent }) => agent.state().phase === 'joined'),
      'no agent gives up its certificate',
    )

    const back = calls.count
    proxy.heal()
    /** Second by second, each with what it sets off on the network. */
    const live = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1_000)
        for (let seen = -1; seen !== calls.count; ) {
          seen = calls.count
          await delay(20)
        }
      }
    }
    await live(55)
    const done = (what: string) =>
      calls.since(back).filter((call) => call.what === what && call.code >= 200 && call.code < 300)
    const by = new Map<number, number>(),
      made = new Map<number, number>()
    const t0 = clock.now().getTime() - 55_000
    for (const c of calls.since(back)) {
      const s = Math.floor((c.at - t0) / 1000)
      by.set(s, (by.get(s) ?? 0) + 1)
      if (c.what.startsWith('POST certificatesigning')) made.set(s, (made.get(s) ?? 0) + 1)
    }
    console.log(
      JSON.stringify([...by]),
      JSON.stringify([...made]),
      calls.busiest(back),
      calls.count - back,
      performance.now(),
    )
    const whats = new Map<string, number>()
    for (const c of calls.since(back)) {
      const k = `${c.watch ? 'W ' : ''}${c.what} ${c.code}`
      whats.set(k, (whats.get(k) ?? 0) + 1)
    }
    console.log(whats)
    await eventually('all are renewed', async () => (await renewalRequests(hub.admin)).length >= size)
    assert.equal(done('PUT leases.coordination.k8s.io').length, size, 'each lease is renewed')
    await live(60)
    assert.equal(new Set(await renewalRequests(hub.admin)).size, size)
    assert.equal((await renewalRequests(hub.admin)).length, size)
    assert.equal(done('POST certificatesigningrequests.certificates.k8s.io').length, size)
    assert.equal(done('PUT certificatesigningrequests.certificates.k8s.io/approval').length, size)
    assert.ok(isEachWell())
  },
)
