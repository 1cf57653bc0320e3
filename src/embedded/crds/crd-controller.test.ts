import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtIn } from '../kinds/define.ts'
import { leases as leaseDefinition } from '../kinds/lease.ts'
import { fresh } from '../storage/reading.ts'
import type { Entry } from '../storage/store.ts'
import { startScene } from './testing/scene.ts'

const group = 'example.com'

test('a definition is established and its kind served', async (t) => {
  const scene = await startScene(t)
  const { registry } = scene.run()
  const name = await scene.define({ group })
  await scene.until('it is served', () => registry.find(group, 'v1', 'widgets') !== undefined)
  assert.equal(scene.condition(name, 'Established')?.status, 'True')
  assert.deepEqual(scene.definition(name)?.status?.acceptedNames, {
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
  })
})

test('what is established already is served before anything runs', async (t) => {
  const scene = await startScene(t)
  const before = scene.run()
  await scene.define({ group })
  await scene.until('it is served', () => before.registry.get(group, 'widgets') !== undefined)
  await before.end()
  assert.ok(scene.run(0).registry.get(group, 'widgets'))
})

test('who comes second waits for the name, and has it when the first is gone', async (t) => {
  const scene = await startScene(t)
  const { registry } = scene.run()
  const first = await scene.define({ group, names: { plural: 'apples', kind: 'Apple' } })
  await scene.until('the first is served', () => registry.get(group, 'apples') !== undefined)
  const second = await scene.define({ group, names: { plural: 'pears', kind: 'Apple' } })
  await scene.until('the second waits', () => scene.condition(second, 'NamesAccepted')?.status === 'False')
  assert.equal(registry.get(group, 'pears'), undefined)
  await scene.remove(first)
  await scene.until('the second is served', () => registry.get(group, 'pears') !== undefined)
  assert.equal(registry.get(group, 'apples'), undefined)
})

test('a name of a built-in kind is taken, and its objects are not the definition’s to delete', async (t) => {
  const scene = await startScene(t)
  const { registry } = scene.run()
  const leases = builtIn('coordination.k8s.io', 'leases', leaseDefinition)
  registry.set(leases)
  const name = await scene.define({ group: 'coordination.k8s.io', names: { plural: 'leases', kind: 'Lease' } })
  await scene.addObject(name, 'a')
  await scene.until('it is not accepted', () => scene.condition(name, 'NamesAccepted')?.status === 'False')
  assert.equal(registry.get('coordination.k8s.io', 'leases'), leases)
  await scene.remove(name)
  await scene.until('the definition is gone', () => scene.definition(name) === undefined)
  assert.equal(scene.store.count(name), 1)
})

test('a finalizer of an object holds the definition back', async (t) => {
  const scene = await startScene(t)
  const { registry } = scene.run()
  const name = await scene.define({ group })
  await scene.until('it is served', () => registry.get(group, 'widgets') !== undefined)
  await scene.addObject(name, 'free')
  const held = await scene.addObject(name, 'held', { finalizers: ['a.example/b'] })
  await scene.remove(name)
  await scene.until('one is left', () => scene.store.count(name) === 1)
  assert.equal(scene.condition(name, 'Terminating')?.reason, 'InstanceDeletionInProgress')
  const { storage, namespace, name: object } = held
  const found = () => scene.store.get(storage, namespace, object) as Entry
  await scene.until('it is to go', () => fresh(found()).metadata.deletionTimestamp !== undefined)
  const current = found()
  await scene.store.write({ storage, namespace, name: object, follows: current.revision, object: undefined })
  await scene.until('the definition is gone', () => scene.definition(name) === undefined)
  assert.equal(registry.get(group, 'widgets'), undefined)
})

test('an object that comes too late is taken out of the store again', async (t) => {
  const scene = await startScene(t)
  const { registry } = scene.run()
  const name = await scene.define({ group })
  await scene.until('it is served', () => registry.get(group, 'widgets') !== undefined)
  await scene.remove(name)
  await scene.until('the definition is gone', () => scene.definition(name) === undefined)
  await scene.addObject(name, 'late')
  await scene.until('nothing is left', () => scene.store.count(name) === 0)
})

test('it may end at any of its effects, and the next one finishes', async (t) => {
  for (let effects = 0; effects < 7; effects++) {
    const scene = await startScene(t)
    const name = await scene.define({ group })
    await scene.addObject(name, 'a')
    const first = scene.run(effects)
    if (effects > 0) await scene.until('it is served', () => first.registry.get(group, 'widgets') !== undefined)
    await scene.remove(name)
    await Promise.race([first.over, scene.until('all is done', () => scene.definition(name) === undefined)])
    await first.end()
    const { registry } = scene.run()
    await scene.until('the definition is gone', () => scene.definition(name) === undefined)
    await scene.until('so are its objects', () => scene.store.count(name) === 0)
    assert.equal(registry.get(group, 'widgets'), undefined)
  }
})
