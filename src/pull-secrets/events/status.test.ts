import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionsOf } from './conditions.ts'
import type { Situation, StatusFacts } from './status.ts'
import { situationOf } from './status.ts'

const facts = (over: Partial<StatusFacts> = {}): StatusFacts => ({
  generation: 1,
  isDeleting: false,
  suspension: null,
  rotation: null,
  registries: { quay: 'active', redhat: 'active' },
  needed: ['quay', 'redhat'],
  deliveries: {},
  ...over,
})

const situations: readonly Situation[] = [
  'absent',
  'creating',
  'delivered',
  'rotating',
  'registry-unavailable',
  'suspended',
  'resuming',
  'deleting',
  'deleted',
]

test('what the tables say makes the situation', () => {
  assert.equal(situationOf(facts()), 'delivered')
  assert.equal(situationOf(facts({ registries: {} })), 'absent')
  assert.equal(situationOf(facts({ registries: { quay: 'active', redhat: 'provisioning' } })), 'creating')
  assert.equal(situationOf(facts({ registries: { quay: 'active' } })), 'creating')
  assert.equal(situationOf(facts({ registries: { quay: 'active' }, needed: ['quay'] })), 'delivered')
  assert.equal(situationOf(facts({ generation: 0, needed: [] })), 'creating')
  assert.equal(situationOf(facts({ rotation: { id: '1', phase: 'dual' } })), 'rotating')
  assert.equal(situationOf(facts({ suspension: 'suspending' })), 'suspended')
  assert.equal(situationOf(facts({ suspension: 'resuming' })), 'resuming')
  assert.equal(situationOf(facts({ suspension: 'suspended', isDeleting: true })), 'deleting')
})

for (const situation of situations)
  test(`a report of ${situation} has the three conditions that must be there`, () => {
    const types = conditionsOf(situation, false).map(({ type }) => type)
    assert.deepEqual(types.slice(0, 3), ['Available', 'Applied', 'Health'])
    assert.equal(types.includes('Finalized'), situation === 'deleting' || situation === 'deleted')
  })

test('an outage while a document is served leaves it available', () => {
  const inShort = (isServed: boolean) =>
    conditionsOf('registry-unavailable', isServed).map(({ type, status, reason }) => `${type} ${status} ${reason}`)
  const [available, applied] = inShort(true)
  assert.deepEqual([available, applied], ['Available True Delivered', 'Applied True Delivered'])
  assert.equal(inShort(true)[2], 'Health False RegistryUnavailable')
  assert.equal(inShort(false)[0], 'Available False RegistryUnavailable')
})

test('while a rotation goes on the report is of what is served, which may be nothing', () => {
  const available = (isServed: boolean) => conditionsOf('rotating', isServed)[0]
  assert.deepEqual([available(true)?.status, available(true)?.reason], ['True', 'Rotating'])
  assert.deepEqual([available(false)?.status, available(false)?.reason], ['False', 'Creating'])
})
