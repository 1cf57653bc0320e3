import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { kubeFailure, MemoryKube, unreachable } from '../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Checkpoint, CheckpointName } from '../../core/checkpoint.ts'
import { passBy } from '../../core/checkpoint.ts'
import { createLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { randomFrom } from '../../core/random.ts'
import { addonNamespace, addonSecretsConfigMap, labels } from '../../fleet/names.ts'
import { configMaps, leases, namespaces, secrets } from '../../kube/kinds.ts'
import { microTime } from '../../kube/lease-record.ts'
import type { CredentialOptions } from '../drivers/driver.ts'
import { reasons } from '../reasons.ts'
import type { Registration } from '../registrations.ts'
import { defaultAddonSettings } from './deps.ts'
import { addonAgent } from './index.ts'
import { fakeDriver, kubeClientItem, signerItem } from './testing/builders.ts'

function scene(t: TestScope) {
  const clock = new FakeClock()
  const warnings: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => warnings.push(line) }, clock })
  const [hub, spoke] = [new MemoryKube(clock), new MemoryKube(clock)]
  const drivers = { csr: fakeDriver('csr'), token: fakeDriver('token') }
  const addons = hub.of(ManagedClusterAddOn.resource, 'west')
  const kept = spoke.of(secrets, addonNamespace)
  const start = (server = 'https://hub', checkpoint: Checkpoint = passBy) => {
    const agent = addonAgent(
      {
        management: spoke,
        spoke,
        clock,
        random: randomFrom(() => 0.5),
        log,
        metrics: noMetrics,
        checkpoint,
        settings: { ...defaultAddonSettings, namespace: 'agent', kubeClientDriver: 'token' },
      },
      drivers,
    )
    const joined = { cluster: 'west', agent: 'a1', kube: hub, stanza: { name: 'hub', server } }
    return { agent, stop: runInTest(t, [agent.on(joined)]) }
  }
  const running = () => [...drivers.csr.running, ...drivers.token.running].map(({ item }) => item.secret.name).sort()
  return {
    clock,
    warnings,
    hub,
    spoke,
    drivers,
    addons,
    kept,
    start,
    running,
    find: (name: string): CredentialOptions => {
      const found = [...drivers.csr.running, ...drivers.token.running].find(({ item }) => item.secret.name === name)
      assert.ok(found, `${name} does not run`)
      return found
    },
    async install(name: string, registrations: Registration[]) {
      await addons.create({ metadata: { name }, spec: {}, status: { registrations } })
      await clock.settle(50)
    },
    async register(name: string, registrations: Registration[]) {
      await addons.patch(name, { type: 'merge', body: { status: { registrations } } }, { subresource: 'status' })
      await clock.settle(50)
    },
    recorded: async () => {
      const found = await spoke.of(configMaps, 'agent').find(addonSecretsConfigMap)
      return (JSON.parse(found?.data?.['secrets'] ?? '[]') as { name: string }[]).map(({ name }) => name).sort()
    },
    writes: () => hub.count('patch', 'update'),
  }
}

const kubeSecret = 'chart-hub-kubeconfig'
const signerSecret = 'chart-example.com-one-client-cert'

test('one write declares all items, then each has a credential; nothing more is written without news', async (t) => {
  const { clock, start, install, running, find, writes, recorded } = scene(t)
  start()
  await clock.settle(50)
  // The watches in its namespace begin with the first add-on there.
  await install('first', [])
  const before = writes()
  await install('chart', [kubeClientItem, signerItem()])
  assert.equal(writes(), before + 1)
  assert.deepEqual(running(), [signerSecret, kubeSecret])
  assert.deepEqual(await recorded(), [signerSecret, kubeSecret])
  assert.deepEqual(find(kubeSecret).item.subject, { user: 'token:chart' })
  const condition = {
    type: 'TokenRefreshed',
    status: 'True' as const,
    reason: reasons.AddonTokenRefreshed,
    message: 'm',
  }
  for (let times = 0; times < 3; times += 1) find(kubeSecret).report({ conditions: [condition] })
  await clock.advance('1h')
  assert.equal(writes(), before + 2)
})

test('a controller of the add-on that puts its own registrations back at once is not followed at its speed', async (t) => {
  const { clock, hub, addons, start, install } = scene(t)
  start()
  await clock.settle(50)
  let written = 0
  const stop = new AbortController()
  t.after(() => stop.abort())
  const putBack = async () => {
    for await (const event of addons.watch({ signal: stop.signal })) {
      if (event.type === 'BOOKMARK' || !event.object.status?.registrations?.[0]?.kubeClient?.driver) continue
      // Bounded: an agent that follows would do so within one moment of the fake clock.
      written += 1
      if (written > 100) return
      const body = { status: { registrations: [kubeClientItem] } }
      await addons.patch('chart', { type: 'merge', body }, { subresource: 'status' })
    }
  }
  const running = putBack().catch(() => {})
  await install('chart', [kubeClientItem])
  for (let minute = 0; minute < 4; minute += 1) await clock.advance('1m')
  assert.equal(written, 30)
  assert.ok(hub.count('patch') < 70)
  // Once that one has given up, the agent has its say.
  stop.abort()
  await running
  for (let minute = 0; minute < 7; minute += 1) await clock.advance('1m')
  const { status } = await addons.get('chart')
  assert.equal(status?.registrations?.[0]?.kubeClient?.driver, 'token')
})

test('an item that changes is begun anew, others are left alone; one that goes takes its Secret with it', async (t) => {
  const { clock, kept, start, install, register, running, find, recorded } = scene(t)
  start()
  await clock.settle(50)
  await install('chart', [kubeClientItem, signerItem()])
  await kept.create({ metadata: { name: kubeSecret } })
  await kept.create({ metadata: { name: signerSecret } })
  const before = find(signerSecret)
  await register('chart', [{ type: 'kubeClient', kubeClient: { subject: { user: 'other' } } }, signerItem()])
  assert.equal(find(signerSecret), before)
  assert.ok(await kept.find(kubeSecret), 'its driver is to replace it')
  await register('chart', [kubeClientItem])
  assert.deepEqual(running(), [kubeSecret])
  assert.equal(await kept.find(signerSecret), undefined)
  assert.deepEqual(await recorded(), [kubeSecret])
})

test('Secrets of add-ons that went while the agent was down, or are not on the next hub, are removed', async (t) => {
  const { clock, addons, kept, start, install, recorded } = scene(t)
  const first = start()
  await clock.settle(50)
  await install('chart', [kubeClientItem])
  await kept.create({ metadata: { name: kubeSecret } })
  await first.stop()
  await addons.delete('chart')
  start('https://other')
  await clock.settle(50)
  assert.equal(await kept.find(kubeSecret), undefined)
  assert.deepEqual(await recorded(), [])
})

test('nothing is begun that could not be written down, and the hub is told; then it is tried again', async (t) => {
  const { clock, spoke, addons, start, install, running } = scene(t)
  start()
  await clock.settle(50)
  spoke.failNext(3, kubeFailure(403, 'Forbidden', 'a text with a secret in it'), 'create')
  await install('chart', [kubeClientItem])
  assert.deepEqual(running(), [])
  const { conditions = [] } = (await addons.get('chart')).status ?? {}
  const told = conditions.find(({ type }) => type === 'RegistrationApplied')
  assert.deepEqual([told?.status, told?.reason], ['False', 'RegistrationFailed'])
  assert.match(`${told?.message}`, /403 Forbidden; it is tried again$/)
  await clock.advance('1s')
  assert.deepEqual(running(), [kubeSecret])
  const after = (await addons.get('chart')).status?.conditions?.find(({ type }) => type === 'RegistrationApplied')
  assert.equal(after?.status, 'True')
})

test('a Secret that cannot be removed holds up neither the other items nor the other add-ons', async (t) => {
  const { clock, spoke, kept, start, install, register, running } = scene(t)
  start()
  await clock.settle(50)
  await install('chart', [signerItem()])
  await kept.create({ metadata: { name: signerSecret } })
  spoke.failNext(9, kubeFailure(500, 'InternalError'), 'delete')
  await register('chart', [kubeClientItem])
  await install('other', [kubeClientItem])
  assert.deepEqual(running(), [kubeSecret, 'other-hub-kubeconfig'])
  assert.ok(await kept.find(signerSecret))
  await clock.advance('2m')
  assert.equal(await kept.find(signerSecret), undefined)
})

test('a Secret that may not be removed is told and forgotten: whoever may not remove it could not make it either', async (t) => {
  const { clock, spoke, addons, warnings, start, install, register, running, recorded } = scene(t)
  start()
  await clock.settle(50)
  await install('chart', [signerItem()])
  spoke.failNext(1, kubeFailure(403, 'Forbidden'), 'delete')
  await register('chart', [kubeClientItem])
  assert.deepEqual(running(), [kubeSecret])
  assert.deepEqual(await recorded(), [kubeSecret])
  const { conditions = [] } = (await addons.get('chart')).status ?? {}
  assert.equal(conditions.find(({ type }) => type === 'RegistrationApplied')?.status, 'True')
  const told = warnings.map((line) => JSON.parse(line) as Record<string, string>)
  assert.deepEqual(
    told.map(({ addon, namespace, name }) => [addon, namespace, name]),
    [['chart', addonNamespace, signerSecret]],
  )
})

test('a credential is poked when its Secret, its namespace or its add-on changes, and no other is', async (t) => {
  const { clock, spoke, kept, addons, drivers, start, install } = scene(t)
  start()
  await clock.settle(50)
  await install('chart', [kubeClientItem])
  await install('other', [kubeClientItem])
  await clock.settle(50)
  const pokes = async (change: () => Promise<unknown>) => {
    drivers.token.pokes.length = 0
    await change()
    await clock.settle(50)
    return new Set(drivers.token.pokes)
  }
  const labelled = { [labels.addonName]: 'chart' }
  const one = new Set([kubeSecret])
  assert.deepEqual(await pokes(() => kept.create({ metadata: { name: kubeSecret, labels: labelled } })), one)
  assert.deepEqual(await pokes(() => kept.delete(kubeSecret)), one)
  assert.deepEqual(await pokes(() => kept.create({ metadata: { name: 'unlabelled' } })), new Set())
  const body = { metadata: { annotations: { a: 'b' } } }
  assert.deepEqual(await pokes(() => addons.patch('chart', { type: 'merge', body })), one)
  const both = new Set([kubeSecret, 'other-hub-kubeconfig'])
  assert.deepEqual(await pokes(() => spoke.of(namespaces).create({ metadata: { name: addonNamespace } })), both)
  assert.deepEqual(await pokes(() => spoke.of(namespaces).create({ metadata: { name: 'another' } })), new Set())
})

test('a conflict with another writer is tried again on what that one left', async (t) => {
  const { clock, hub, addons, start, install } = scene(t)
  start()
  await clock.settle(50)
  hub.failNext(1, kubeFailure(409, 'Conflict'), 'patch')
  await install('chart', [kubeClientItem])
  await clock.advance('1s')
  assert.equal((await addons.get('chart')).status?.registrations?.[0]?.kubeClient?.driver, 'token')
})

test('a refusal that met a conflict is told all the same, beside what the hub says of the add-on', async (t) => {
  const { clock, hub, addons, start, install } = scene(t)
  start()
  await clock.settle(50)
  await install('chart', [])
  const theirs = { type: 'RegistrationApplied', status: 'True' as const, reason: 'SetPermissionApplied', message: '' }
  const conditions = [{ ...theirs, lastTransitionTime: clock.now().toISOString() }]
  await addons.patch('chart', { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' })
  await clock.settle(50)
  const written = addons.get('chart').then(({ metadata, spec }) =>
    addons.update({ metadata, spec, status: { conditions, registrations: [signerItem(), signerItem()] } } as never, {
      subresource: 'status',
    }),
  )
  hub.failNext(1, kubeFailure(409, 'Conflict'), 'patch')
  await written
  await clock.advance('1s')
  const told = (await addons.get('chart')).status?.conditions?.find(({ type }) => type === 'RegistrationApplied')
  assert.deepEqual([told?.status, told?.reason], ['False', 'RegistrationRefused'])
})

test('passes are listed while they are kept, and go with their Secret', async (t) => {
  const { clock, addons, start, install, find } = scene(t)
  const { agent } = start()
  await clock.settle(50)
  await install('chart', [kubeClientItem])
  const expiresAt = new Date(clock.now().getTime() + 3_600_000)
  const pass = {
    ...{ id: 'p1', kind: 'addon' as const, holder: 'west/chart', issuer: 'hub', issuedAt: clock.now(), expiresAt },
    ...{ keptIn: 'secret', fingerprint: 'f', state: reasons.AddonTokenRefreshed },
  }
  find(kubeSecret).report({ conditions: [], pass })
  const listed = async () => (await Array.fromAsync(agent.passes.list())).map(({ id }) => id)
  assert.deepEqual(await listed(), ['p1'])
  find(kubeSecret).report({ conditions: [] })
  assert.deepEqual(await listed(), [])
  find(kubeSecret).report({ conditions: [], pass })
  await addons.delete('chart')
  await clock.settle(50)
  assert.deepEqual(await listed(), [])
})

test('a watch of leases that hangs makes no add-on look dead: the server itself is asked', async (t) => {
  const { clock, spoke, addons, start, install } = scene(t)
  start()
  await clock.settle(50)
  const beats = spoke.of(leases, addonNamespace)
  const availability = async () =>
    (await addons.get('chart')).status?.conditions?.find(({ type }) => type === 'Available')?.status
  await install('chart', [])
  assert.equal(await availability(), 'Unknown')
  await beats.create({ metadata: { name: 'chart' }, spec: { renewTime: microTime(clock.now()) } })
  await clock.settle(50)
  assert.equal(await availability(), 'True')
  spoke.stallWatches()
  await clock.advance('200s')
  await beats.patch('chart', { type: 'merge', body: { spec: { renewTime: microTime(clock.now()) } } })
  await clock.advance('250s')
  assert.equal(await availability(), 'True')
  // Nobody answers: nothing is said until somebody does.
  spoke.failNext(100, kubeFailure(500, 'InternalError'), 'list')
  await clock.advance('50s')
  assert.equal(await availability(), 'True')
  spoke.recover()
  await clock.advance(defaultAddonSettings.leaseCheckMs)
  assert.equal(await availability(), 'False')
})

const steps: CheckpointName[] = ['addon.declared', 'addon.secret-recorded', 'addon.secret-removed']
for (const step of steps)
  test(`killed at ${step}, the next start comes to the same end`, async (t) => {
    const { clock, hub, spoke, kept, start, install, register, running, recorded } = scene(t)
    const kill: Checkpoint = (name) => {
      if (name !== step) return
      // Nothing that a dead process would do reaches anybody.
      for (const kube of [hub, spoke]) kube.failNext(1_000, unreachable())
      throw new Error('killed')
    }
    const first = start()
    await clock.settle(50)
    await install('chart', [signerItem()])
    await kept.create({ metadata: { name: signerSecret } })
    await first.stop()
    await register('chart', [kubeClientItem])
    const second = start('https://hub', kill)
    await clock.advance('1s')
    await second.stop()
    for (const kube of [hub, spoke]) kube.recover()
    start()
    await clock.settle(50)
    assert.deepEqual(running(), [kubeSecret])
    assert.deepEqual(await recorded(), [kubeSecret])
    assert.equal(await kept.find(signerSecret), undefined)
  })

test('an add-on that the hub called unreachable is left so until the hub hears the cluster, each time', async (t) => {
  const { clock, hub, spoke, addons, start, install } = scene(t)
  start()
  await clock.settle(50)
  await install('chart', [])
  const beat = { metadata: { name: 'chart' }, spec: { renewTime: microTime(clock.now()) } }
  await spoke.of(leases, addonNamespace).create(beat)
  const clusters = hub.of(ManagedCluster.resource)
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  const say = async (status: 'True' | 'Unknown') => {
    const type = 'ManagedClusterConditionAvailable'
    const conditions = [{ type, status, reason: 'LeaseStopped', message: 'm', lastTransitionTime }]
    await clusters.patch('west', { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' })
    await clock.settle(50)
  }
  const copy = async () => {
    const condition = { type: 'Available', status: 'Unknown', reason: 'LeaseStopped', message: 'm', lastTransitionTime }
    const body = { status: { conditions: [condition] } }
    await addons.patch('chart', { type: 'merge', body }, { subresource: 'status' })
    await clock.settle(50)
  }
  const availability = async () =>
    (await addons.get('chart')).status?.conditions?.find(({ type }) => type === 'Available')?.status
  await clusters.create({ metadata: { name: 'west' } })
  await say('Unknown')
  await copy()
  await clock.advance('1m')
  assert.equal(await availability(), 'Unknown')
  await say('True')
  assert.equal(await availability(), 'True')
  // A hub that looked at an old state says it once more, and the cluster does not change.
  await copy()
  assert.equal(await availability(), 'True')
})
