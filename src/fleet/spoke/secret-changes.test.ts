import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { silentLog } from '../../core/log.ts'
import { randomFrom } from '../../core/random.ts'
import { secrets } from '../../kube/kinds.ts'
import { concerns } from './secret-changes.ts'
import { spokeView } from './view.ts'

const oidcAuth = { issuerURL: 'https://idp', clientID: 'hub', server: 'https://west' }
const rotating: ClusterConfig = {
  metadata: { name: 'west', namespace: 'hub' },
  spec: {
    oidcAuth: {
      ...oidcAuth,
      refreshTokenSecretRef: { namespace: 'hub', name: 'offline' },
      rotatedRefreshTokenKey: 'rotated',
    },
  },
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A hub with the Secrets `offline`, whose token rotates, and `plain`; `told` has the keys that changed, by Secret. */
async function scene(t: TestScope) {
  const clock = new FakeClock()
  const memory = new MemoryKube(clock)
  const held = memory.of(secrets, 'hub')
  const make = (name: string, data: object) =>
    held.create({ metadata: { name, namespace: 'hub' }, data: data as Record<string, string> })
  await memory.of(ClusterConfig.resource, 'hub').create(rotating)
  await make('plain', { value: base64('1') })
  await make('offline', { token: base64('R0') })
  const view = spokeView(memory, { clock, random: randomFrom(() => 0.5), log: silentLog })
  runInTest(t, [view.run])
  await clock.settle()
  const told: [string, string[] | 'any'][] = []
  view.secretChanges.on((key, _, changed) => told.push([key, changed ? [...changed] : 'any']))
  told.length = 0
  const change = async (name: string, data: object) => {
    await held.patch(name, { type: 'merge', body: { data } })
    await clock.settle()
  }
  const reads = () => memory.calls.filter(({ verb, plural }) => verb === 'get' && plural === 'secrets').length
  return { clock, memory, held, make, view, told, change, reads }
}

test('of a Secret whose token rotates it is told which keys changed, and of others at once that something did', async (t) => {
  const { told, change, reads } = await scene(t)
  const before = reads()
  await change('plain', { value: base64('2') })
  assert.equal(reads(), before)
  await change('offline', { rotated: base64('R1') })
  await change('offline', { rotated: base64('R2'), token: base64('S0') })
  assert.equal(reads(), before + 2)
  assert.deepEqual(told, [
    ['hub/plain', 'any'],
    ['hub/offline', ['rotated']],
    ['hub/offline', ['token', 'rotated']],
  ])
})

test('a Secret that goes and comes back, or cannot be read, is news whatever it holds', async (t) => {
  const { clock, memory, held, make, told, change } = await scene(t)
  await held.delete('offline')
  await clock.settle()
  await make('offline', { token: base64('R0') })
  await clock.settle()
  memory.failNext(1, kubeFailure(403, 'Forbidden'), 'get')
  await change('offline', { rotated: base64('R1') })
  assert.deepEqual(told, [
    ['hub/offline', 'any'],
    ['hub/offline', 'any'],
    ['hub/offline', 'any'],
  ])
})

test('what somebody read is compared with, unless the watch has not shown it yet', async (t) => {
  const { clock, memory, held, make, view, told, change } = await scene(t)
  await make('spare', { value: base64('1') })
  for (const name of ['plain', 'spare']) {
    const config = structuredClone(rotating)
    Object.assign(config.spec.oidcAuth ?? {}, { refreshTokenSecretRef: { namespace: 'hub', name } })
    await memory.of(ClusterConfig.resource, 'hub').create({ ...config, metadata: { name, namespace: 'hub' } })
  }
  await clock.settle()
  told.length = 0
  const [plain, spare] = [await held.get('plain'), await held.get('spare')]
  view.secretChanges.seen(plain)
  view.secretChanges.seen({ ...spare, metadata: { ...spare.metadata, resourceVersion: 'still to come' } })
  for (const name of ['plain', 'spare']) await change(name, { rotated: base64('R1') })
  assert.deepEqual(told, [
    ['hub/plain', ['rotated']],
    ['hub/spare', 'any'],
  ])
})

test('what somebody read before the watch showed it is compared with, and that it is there is news all the same', async (t) => {
  const { clock, held, make, view, told } = await scene(t)
  await held.delete('offline')
  await clock.settle()
  told.length = 0
  // In one go: the watch has shown nothing of it yet.
  const made = await make('offline', { token: base64('R0') })
  view.secretChanges.seen(made)
  await held.patch('offline', { type: 'merge', body: { data: { rotated: base64('R1') } } })
  await clock.settle()
  assert.deepEqual(told, [
    ['hub/offline', 'any'],
    ['hub/offline', ['rotated']],
  ])
})

test('that there is another successor concerns nobody for whom it is kept', () => {
  assert.equal(concerns(rotating, 'hub/offline', new Set(['rotated'])), false)
  assert.equal(concerns(rotating, 'hub/offline', new Set(['rotated', 'token'])), true)
  assert.equal(concerns(rotating, 'hub/offline', undefined), true)
  assert.equal(concerns(rotating, 'hub/another', new Set(['rotated'])), true)
})
