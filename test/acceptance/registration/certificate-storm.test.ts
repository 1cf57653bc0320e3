/** Agents whose certificates fell due while they and the hub could not reach the API server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTrue } from '../../../src/core/conditions.ts'
import type { Random } from '../../../src/core/random.ts'
import { randomFrom } from '../../../src/core/random.ts'
import { conditions } from '../../../src/fleet/names.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import {
  agentScene,
  bootstrapKubeconfig,
  bootstrapUser,
  joinHub,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { TestClientOptions } from '../../support/kube-client.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import type { Heard } from '../../support/traffic.ts'
import { busiest, live, liveUntil, traffic } from '../../support/traffic.ts'

const size = 8
/** Renewed from minute 52 to 56. */
const life = { clientCertExpirationSeconds: 4_200 }

const limit = { qps: 50, burst: 20 }
const request = 'POST certificatesigningrequests.certificates.k8s.io'
const approval = 'PUT certificatesigningrequests.certificates.k8s.io/approval'
const renewal = 'PUT leases.coordination.k8s.io'

/** Who has asked for another certificate, once for each request. What agents join with is asked for by somebody else. */
async function renewers(admin: Kube): Promise<string[]> {
  const { items } = await admin.of(certificateSigningRequests).list()
  return items.map(({ spec }) => spec.username ?? '').filter((user) => user !== bootstrapUser)
}

/**
 * Chance without chance, or eight agents would meet in one second once in many runs: each draws what the others draw, an
 * eighth further on.
 */
function spread(index: number): Random {
  let drawn = 0
  return randomFrom(() => {
    drawn += 1
    return (index / size + drawn * goldenRatio) % 1
  })
}

const goldenRatio = (Math.sqrt(5) - 1) / 2

test(
  'R88b: certificates that fell due while the API server was away for an hour are renewed once each, spread out',
  needsControlPlane,
  async (t) => {
    const { plane, clock, advance } = await timedPlane(t)
    const proxy = await startFaultProxy(t, plane.url)
    const [ofHub, ofAgents] = [traffic(clock), traffic(clock)]
    // The loops of hub and agents live by the fake clock; a client that tries again by the real one would lag behind it.
    const client: TestClientOptions = { retries: 0, onRequest: ofAgents.onRequest, onCall: ofAgents.onCall }
    const connection = { ...plane.connection(), server: proxy.url }
    const { onRequest, onCall } = ofHub
    const kube = kubeClient(t, connection, { ...limit, retries: 0, onRequest, onCall })
    const hub = await joinHub(t, plane, { clock, hub: kube, settings: { autoApprovedUsers: [bootstrapUser] } })
    const bootstrap = withHub(await bootstrapKubeconfig(plane), { server: proxy.url })
    const names = Array.from({ length: size }, (_, index) => `cluster-${index}`)
    const agents = await Promise.all(
      names.map((cluster, index) =>
        agentScene(t, plane, { clock, random: spread(index), client, bootstrap, settings: life, cluster }),
      ),
    )
    const { clusters } = hub.deps.view
    for (const name of names) {
      await advanceUntil(clock, `${name} is there`, () => clusters.get(name) !== undefined, 100)
      await setAccepted(hub.admin, name)
    }
    const isEachWell = () =>
      agents.every(({ agent }) => agent.state().phase === 'joined') &&
      names.every((name) => isTrue(clusters.get(name)?.status?.conditions, conditions.available))
    await advanceUntil(clock, 'all have joined', isEachWell, 100)
    const expiries = () => agents.map(({ agent }) => agent.state().expiresAt?.getTime())
    const first = expiries()

    proxy.refuse()
    proxy.resetAll()
    await advance('1m', 20)
    // Nothing but more of the same would happen in between.
    await clock.jumpTo(new Date(clock.now().getTime() + 54 * 60_000))
    await advance('5m', 60)
    assert.deepEqual(await renewers(hub.admin), [])
    assert.deepEqual(expiries(), first)

    proxy.heal()
    const healedAt = clock.now().getTime()
    await live(clock, 60, ofHub, ofAgents)
    const areRenewed = () => expiries().every((at, index) => at !== first[index])
    await liveUntil(clock, 'all are renewed', areRenewed, ofHub, ofAgents)
    await liveUntil(clock, 'all are well', isEachWell, ofHub, ofAgents)
    const isHeard = (name: string) => (hub.deps.view.heartbeats.renewedAt(name)?.getTime() ?? 0) >= healedAt
    await liveUntil(clock, 'all are heard', () => names.every(isHeard), ofHub, ofAgents)
    await live(clock, 20, ofHub, ofAgents)

    // Once: one request each, one approval each, and no lease renewed more often than ever.
    const asked = await renewers(hub.admin)
    assert.equal(asked.length, size)
    assert.equal(new Set(asked).size, size)
    const back = (call: Heard) => call.at >= healedAt && call.code >= 200 && call.code < 300
    const approved = ofHub.all.filter(back).filter(({ what }) => what === approval)
    assert.equal(approved.length, size)
    const renewed = ofAgents.all.filter(back).filter(({ what }) => what === renewal)
    const minutes = (clock.now().getTime() - healedAt) / 60_000
    assert.ok(renewed.length <= size * Math.ceil(minutes), `${renewed.length} renewals in ${minutes} minutes`)

    // Spread out: those that begin together are few, and nobody asks much.
    const requested = ofAgents.all.filter(back).filter(({ what }) => what === request)
    assert.equal(requested.length, size)
    assert.ok(busiest(requested) <= size / 2, `${busiest(requested)} certificates asked for in a second`)
    assert.ok(busiest(renewed) <= size / 2, `${busiest(renewed)} leases renewed in a second`)
    const everything = ofAgents.all.filter(back)
    assert.ok(busiest(everything) <= 4 * size, `${busiest(everything)} requests of all agents in a second`)
    ofHub.assertWithin(limit)
  },
)
