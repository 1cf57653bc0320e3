/** Clusters and add-ons whose passes fell due while their agents and the hub could not reach the API server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import { addonSecrets } from '../../../src/fleet/names.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { bootstrapKubeconfig, withHub } from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import type { TestClientOptions } from '../../support/kube-client.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import type { Heard } from '../../support/traffic.ts'
import { busiest, live, liveUntil, traffic } from '../../support/traffic.ts'

const agents = 4
const addonsEach = 4
const size = agents * addonsEach
const limit = { qps: 50, burst: 20 }
const asked = 'POST serviceaccounts/token'
const told = 'PATCH managedclusteraddons.addon.open-cluster-management.io/status'
const requested = 'POST certificatesigningrequests.certificates.k8s.io'
const approved = 'PUT certificatesigningrequests.certificates.k8s.io/approval'
const renewed = 'PUT leases.coordination.k8s.io'
/** Renewed from minute 52 to 56. */
const settings = { clientCertExpirationSeconds: 4_200 }
/** Refreshed after 56 minutes. */
const addons = { kubeClientDriver: 'token', tokenExpirationSeconds: 4_200 } as const

test('R88: leases, certificates and tokens that fell due while the API server was away for an hour are handled once each, spread out', {
  ...needsControlPlane,
  timeout: 180_000,
}, async (t) => {
  const { plane, clock, advance } = await timedPlane(t)
  const proxy = await startFaultProxy(t, plane.url)
  const [ofHub, ofAgents] = [traffic(clock), traffic(clock)]
  // The loops of hub and agents live by the fake clock; a client that tries again by the real one would lag behind it.
  const client: TestClientOptions = { retries: 0, onRequest: ofAgents.onRequest, onCall: ofAgents.onCall }
  const connection = { ...plane.connection(), server: proxy.url }
  const { admin } = await addonHub(t, plane, {
    clock,
    hub: kubeClient(t, connection, { ...limit, retries: 0, onRequest: ofHub.onRequest, onCall: ofHub.onCall }),
  })
  const bootstrap = withHub(await bootstrapKubeconfig(plane), { server: proxy.url })
  const scenes = await Promise.all(
    Array.from({ length: agents }, () => addonScene(t, plane, { clock, client, bootstrap, settings, addons })),
  )
  const installNamespace = await freshNamespace(t, admin)
  const holders = await Promise.all(
    scenes.flatMap((scene) =>
      Array.from({ length: addonsEach }, async () => ({
        scene,
        addon: await scene.addon([{ type: 'kubeClient' }], { installNamespace }),
      })),
    ),
  )
  const tokens = () =>
    Promise.all(
      holders.map(async ({ scene, addon }) => {
        const texts = await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace)
        return texts?.['token']
      }),
    )
  const isEachTold = async () => {
    const { items } = await admin.of(ManagedClusterAddOn.resource).list()
    return items.every(({ status }) => isTrue(status?.conditions as Condition[], 'AddonTokenRefreshed'))
  }
  await eventually(
    'all have a token',
    async () => {
      await clock.advance(100)
      return await isEachTold()
    },
    { withinMs: 60_000, everyMs: 100 },
  )
  const first = await tokens()
  const expiries = () => scenes.map(({ agent }) => agent.state().expiresAt?.getTime())
  const before = expiries()

  proxy.refuse()
  proxy.resetAll()
  await advance('1m', 10)
  // Nothing but more of the same would happen in between.
  await clock.jumpTo(new Date(clock.now().getTime() + 54 * 60_000))
  await advance('5m', 30)
  assert.deepEqual(await tokens(), first)
  assert.deepEqual(expiries(), before)

  proxy.heal()
  const healedAt = clock.now().getTime()
  await live(clock, 60, ofHub, ofAgents)
  const answered = (what: string) => (call: Heard) =>
    call.what === what && call.at >= healedAt && call.code >= 200 && call.code < 300
  const granted = () => ofAgents.all.filter(answered(asked))
  await liveUntil(clock, 'all are replaced', () => granted().length >= size, ofHub, ofAgents)
  const areRenewed = () => expiries().every((at, index) => at !== before[index])
  await liveUntil(clock, 'all certificates are renewed', areRenewed, ofHub, ofAgents)
  await eventually('each has another', async () => {
    const now = await tokens()
    return now.every((token, index) => token !== first[index]) && (await isEachTold())
  })
  await live(clock, 20, ofHub, ofAgents)

  // Once: one certificate and one token each, each told once, and no lease renewed more often than ever.
  assert.equal(ofAgents.all.filter(answered(requested)).length, agents)
  assert.equal(ofHub.all.filter(answered(approved)).length, agents)
  const minutes = (clock.now().getTime() - healedAt) / 60_000
  assert.ok(ofAgents.all.filter(answered(renewed)).length <= agents * Math.ceil(minutes))
  assert.equal(granted().length, size)
  assert.equal(new Set(await tokens()).size, size)
  assert.ok(ofAgents.all.filter(answered(told)).length <= 2 * size)

  // Spread out: those that begin together are few, and nobody asks much.
  assert.ok(busiest(granted()) <= size / 2, `${busiest(granted())} tokens asked for in a second`)
  const everything = ofAgents.all.filter(({ at, code }) => at >= healedAt && code >= 200 && code < 300)
  assert.ok(busiest(everything) <= 4 * size, `${busiest(everything)} requests of all agents in a second`)
  ofHub.assertWithin(limit)
})
