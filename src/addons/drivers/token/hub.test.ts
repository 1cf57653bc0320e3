import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import { silentLog } from '../../../core/log.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { randomFrom } from '../../../core/random.ts'
import { accountUser } from '../../../fleet/names.ts'
import { informer } from '../../../kube/informer.ts'
import { roleBindings, roles, serviceAccounts } from '../../../kube/kinds.ts'
import type { Collection, Kube, WatchOptions } from '../../../kube/kube.ts'
import type { KubeObject, Resource } from '../../../kube/objects.ts'
import { addonHubView } from '../../hub/view.ts'
import { tokenInfrastructure } from './hub.ts'

const name = 'logs-token-role'

function declaredAs(account: string): NonNullable<ManagedClusterAddOn['status']> {
  const kubeClient = { driver: 'token', subject: { user: accountUser('west', account) } } as const
  return { registrations: [{ type: 'kubeClient', kubeClient }] }
}

/** The add-on `logs` of the cluster `west`, and a hub that hears of changes of these kinds only while nothing is held back. */
async function scene(t: TestContext, heldBack: readonly { plural: string }[] = [ManagedClusterAddOn.resource]) {
  const clock = new FakeClock()
  const server = new MemoryKube(clock)
  let held: PromiseWithResolvers<void> | undefined
  async function* late<T extends KubeObject>(collection: Collection<T>, options?: WatchOptions) {
    for await (const event of collection.watch(options)) {
      await held?.promise
      yield event
    }
  }
  const kube: Kube = {
    request: server.request,
    of<T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T> {
      const collection = server.of(resource, namespace)
      if (!heldBack.some(({ plural }) => plural === resource.plural)) return collection
      return { ...collection, metadata: collection.metadata, watch: (options) => late(collection, options) }
    },
  }
  const addons = server.of(ManagedClusterAddOn.resource, 'west')
  await server.of(ManagedCluster.resource).create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
  const declare = () => addons.create({ metadata: { name: 'logs' }, spec: {}, status: declaredAs('logs-agent') })
  const deps = { kube, clock, random: randomFrom(() => 0), log: silentLog, metrics: noMetrics }
  const view = addonHubView(kube, deps)
  const clusters = informer(kube.of(ManagedCluster.resource), deps)
  const hub = tokenInfrastructure({
    ...deps,
    view,
    clusters,
    events: { record() {}, async flush() {} },
    checkpoint() {},
    settings: { labels: {} },
  })
  const stop = new AbortController()
  const running = runTogether(stop.signal, [view.run, clusters.run, hub.run])
  t.after(() => {
    stop.abort()
    held?.resolve()
    return running.catch(() => {})
  })
  await clock.settle()
  return {
    clock,
    server,
    declare,
    addons,
    accounts: server.of(serviceAccounts, 'west'),
    roles: server.of(roles, 'west'),
    bindings: server.of(roleBindings, 'west'),
    status: async () => (await addons.get('logs')).status?.conditions?.map(({ status }) => status),
    holdBack() {
      held = Promise.withResolvers<void>()
    },
    letGo() {
      held?.resolve()
      held = undefined
    },
  }
}

test('a failure that is over before the hub hears of its own report does not stay', async (t) => {
  const { clock, server, declare, roles, status, holdBack, letGo } = await scene(t)
  await declare()
  await clock.settle()
  assert.deepEqual(await status(), ['True'])
  holdBack()
  server.failNext(1, kubeFailure(500, 'InternalError'), 'patch')
  await roles.update({ ...(await roles.get(name)), rules: [] })
  await clock.settle()
  assert.deepEqual(await status(), ['False'])
  await clock.advance('10s')
  assert.equal((await roles.get(name)).rules?.length, 1)
  letGo()
  await clock.settle()
  assert.deepEqual(await status(), ['True'])
})

test("somebody else's account: no right to its tokens is made, and one from before goes", async (t) => {
  const { clock, declare, accounts, roles, bindings, status } = await scene(t)
  const foreign = () => accounts.create({ metadata: { name: 'logs-agent' } })
  const rights = async () => [await roles.find(name), await bindings.find(name)].map(Boolean)
  await foreign()
  await declare()
  await clock.settle()
  assert.deepEqual([await status(), await rights()], [['False'], [false, false]])
  await accounts.delete('logs-agent')
  await clock.advance('10m')
  assert.deepEqual([await status(), await rights()], [['True'], [true, true]])
  await accounts.delete('logs-agent')
  await foreign()
  await clock.advance('1s')
  assert.deepEqual([await status(), await rights()], [['False'], [false, false]])
})

test("somebody else's role: what binds to it goes; somebody else's binding: nothing is made again and again", async (t) => {
  const { clock, server, declare, roles, bindings, status } = await scene(t)
  await declare()
  await clock.settle()
  await roles.delete(name)
  await roles.create({ metadata: { name }, rules: [] })
  await clock.advance('1s')
  assert.deepEqual([await status(), await bindings.find(name)], [['False'], undefined])
  await roles.delete(name)
  await bindings.create({ metadata: { name }, roleRef: { apiGroup: '', kind: 'Role', name: 'other' } })
  await clock.advance('10m')
  assert.deepEqual([await status(), (await bindings.get(name)).roleRef.name], [['False'], 'other'])
  const removals = server.count('delete')
  await clock.advance('1h')
  assert.equal(server.count('delete'), removals)
})

test('rights go before the account: while they cannot be removed, nobody else can take its name', async (t) => {
  const { clock, server, declare, addons, accounts, roles, bindings } = await scene(t)
  await declare()
  await clock.settle()
  server.failNext(1, kubeFailure(500, 'InternalError'), 'delete')
  await addons.update({ ...(await addons.get('logs')), status: {} })
  await clock.settle()
  const left = async () => [await accounts.find('logs-agent'), await roles.find(name), await bindings.find(name)]
  assert.deepEqual((await left()).map(Boolean), [true, false, true])
  await clock.advance('10s')
  assert.deepEqual((await left()).map(Boolean), [false, false, false])
})

test("an account goes when the rights are another one's: until then nobody else can take its name", async (t) => {
  const { clock, server, declare, addons, accounts, roles } = await scene(t)
  await declare()
  await clock.settle()
  server.failNext(1, kubeFailure(500, 'InternalError'), 'create')
  await addons.update({ ...(await addons.get('logs')), status: declaredAs('west-logs-agent') })
  await clock.settle()
  const there = async () => [await accounts.find('logs-agent'), await accounts.find('west-logs-agent')].map(Boolean)
  const allowed = async () => (await roles.get(name)).rules?.[0]?.resourceNames
  assert.deepEqual([await there(), await allowed()], [[true, false], ['logs-agent']])
  await clock.advance('10s')
  assert.deepEqual([await there(), await allowed()], [[false, true], ['west-logs-agent']])
})

test("an account whose successor is somebody else's goes after its rights", async (t) => {
  const { clock, declare, addons, accounts, roles, bindings } = await scene(t)
  await declare()
  await clock.settle()
  await accounts.create({ metadata: { name: 'west-logs-agent' } })
  await addons.update({ ...(await addons.get('logs')), status: declaredAs('west-logs-agent') })
  await clock.advance('10s')
  const left = [await accounts.find('logs-agent'), await roles.find(name), await bindings.find(name)]
  assert.deepEqual([left.map(Boolean), Boolean(await accounts.find('west-logs-agent'))], [[false, false, false], true])
})

test("an account is left to its add-on's successor alone where the binding is somebody else's", async (t) => {
  const { clock, declare, addons, accounts, bindings } = await scene(t)
  await declare()
  await clock.settle()
  await bindings.delete(name)
  await bindings.create({ metadata: { name }, roleRef: { apiGroup: '', kind: 'Role', name: 'other' } })
  await addons.update({ ...(await addons.get('logs')), status: declaredAs('west-logs-agent') })
  await clock.advance('10s')
  const there = [await accounts.find('logs-agent'), await accounts.find('west-logs-agent')]
  assert.deepEqual(there.map(Boolean), [false, true])
})

test('rights that the watch has not told of go before the account all the same', async (t) => {
  const { clock, declare, addons, accounts, bindings, holdBack } = await scene(t, [roles, roleBindings])
  holdBack()
  await declare()
  await clock.settle()
  assert.ok(await bindings.find(name))
  await addons.delete('logs')
  await clock.advance('10s')
  assert.deepEqual([await bindings.find(name), await accounts.find('logs-agent')], [undefined, undefined])
})

test('rights of which no watch has told at all go when the cluster is denied', async (t) => {
  const { clock, server, declare, bindings, holdBack } = await scene(t, [serviceAccounts, roles, roleBindings])
  holdBack()
  await declare()
  await clock.settle()
  assert.ok(await bindings.find(name))
  const body = { spec: { hubAcceptsClient: false } }
  await server.of(ManagedCluster.resource).patch('west', { type: 'merge', body })
  await clock.advance('10s')
  assert.equal(await bindings.find(name), undefined)
})

const heldBy = (finalizers: string[]) => ({ type: 'merge', body: { metadata: { finalizers } } }) as const
const audited = heldBy(['example.com/audit'])

test("an account stays while somebody's finalizers keep the right to its tokens in force, and its add-on says so", async (t) => {
  const { clock, declare, addons, accounts, bindings, roles, status } = await scene(t)
  await declare()
  await clock.settle()
  await bindings.patch(name, audited)
  await roles.patch(name, audited)
  await addons.update({ ...(await addons.get('logs')), status: {} })
  await clock.advance('1m')
  const left = async () => [await bindings.find(name), await roles.find(name), await accounts.find('logs-agent')]
  assert.deepEqual([(await left()).map(Boolean), await status()], [[true, true, true], ['False']])
  await bindings.patch(name, heldBy([]))
  await clock.advance('5m')
  // The role alone allows nothing.
  assert.deepEqual([(await left()).map(Boolean), await status()], [[false, true, false], []])
})

test("an account goes although somebody's finalizer keeps the binding, once there is no role to bind to", async (t) => {
  const { clock, declare, addons, accounts, bindings, roles } = await scene(t)
  await declare()
  await clock.settle()
  await bindings.patch(name, audited)
  await addons.delete('logs')
  await clock.advance('1s')
  const left = [await bindings.find(name), await roles.find(name), await accounts.find('logs-agent')]
  assert.deepEqual(left.map(Boolean), [true, false, false])
})

test("an account stays while a role that is held is bound, although the binding's label was taken off", async (t) => {
  const { clock, declare, addons, accounts, bindings, roles } = await scene(t)
  await declare()
  await clock.settle()
  await roles.patch(name, audited)
  await addons.delete('logs')
  await bindings.patch(name, { type: 'merge', body: { metadata: { labels: null } } })
  await clock.advance('10s')
  const left = async () => [await bindings.find(name), await roles.find(name), await accounts.find('logs-agent')]
  assert.deepEqual((await left()).map(Boolean), [true, true, true])
  await roles.patch(name, heldBy([]))
  await clock.advance('5m')
  assert.deepEqual((await left()).map(Boolean), [true, false, false])
})
