import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, registryOf } from '../admission/testing/scene.ts'
import { perKinds } from './per-kinds.ts'

test('it is made once for each state of the kinds', () => {
  const count = perKinds((registry) => ({ kinds: registry.all().length }))
  const registry = registryOf(aKind('example.com', 'Widget', 'widgets'))
  const first = count(registry)
  assert.equal(count(registry), first)
  registry.set(aKind('example.com', 'Gadget', 'gadgets'))
  assert.deepEqual(count(registry), { kinds: 2 })
  registry.remove('example.com', 'none')
  assert.equal(count(registry), count(registry))
  registry.remove('example.com', 'gadgets')
  assert.deepEqual(count(registry), { kinds: 1 })
  assert.notEqual(count(registry), first)
})

test('registries do not share it', () => {
  const names = perKinds((registry) => registry.all().map(({ plural }) => plural))
  const [one, other] = ['widgets', 'gadgets'].map((plural) => registryOf(aKind('example.com', 'Kind', plural)))
  assert.ok(one && other)
  assert.deepEqual([names(one), names(other), names(one)], [['widgets'], ['gadgets'], ['widgets']])
})
