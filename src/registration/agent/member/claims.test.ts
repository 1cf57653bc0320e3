import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StatedFact } from './claims.ts'
import { aboutMissingClaims, mirroredClaims, onlyFact } from './claims.ts'

const stated = (facts: Record<string, string>): StatedFact[] =>
  Object.entries(facts).map(([name, value]) => ({ metadata: { name }, spec: { value } }))

const limits = { maxCustomClusterClaims: 20, reservedClusterClaimSuffixes: [] }
const namesOf = ({ mirrored }: { mirrored: { name?: string }[] }) => mirrored.map(({ name }) => name)

test('reserved claims come first, all are sorted by name', () => {
  const claims = stated({ b: '1', 'product.open-cluster-management.io': 'k3s', a: '2', 'id.k8s.io': 'x' })
  assert.deepEqual(mirroredClaims(claims, [], limits), {
    mirrored: [
      { name: 'id.k8s.io', value: 'x' },
      { name: 'product.open-cluster-management.io', value: 'k3s' },
      { name: 'a', value: '2' },
      { name: 'b', value: '1' },
    ],
    cut: [],
    tooLong: [],
  })
})

test('custom claims are cut at the maximum, reserved ones and those with a reserved suffix never', () => {
  const claims = stated({ c: '1', a: '1', b: '1', 'z.example.io': '1', 'id.k8s.io': '1' })
  const given = { maxCustomClusterClaims: 2, reservedClusterClaimSuffixes: ['example.io'] }
  const kept = mirroredClaims(claims, [], given)
  assert.deepEqual(namesOf(kept), ['id.k8s.io', 'z.example.io', 'a', 'b'])
  assert.deepEqual(kept.cut, ['c'])
  assert.deepEqual(namesOf(mirroredClaims(claims, [], { ...given, maxCustomClusterClaims: 0 })), [
    'id.k8s.io',
    'z.example.io',
  ])
})

test('a property wins over a claim of the same name', () => {
  const both = mirroredClaims(stated({ a: 'claim', b: 'claim' }), stated({ a: 'property', c: 'property' }), limits)
  assert.deepEqual(both.mirrored, [
    { name: 'a', value: 'property' },
    { name: 'b', value: 'claim' },
    { name: 'c', value: 'property' },
  ])
})

test('what the hub would refuse is left out, and said', () => {
  const kept = mirroredClaims([{ metadata: { name: 'empty' } }], stated({ long: 'x'.repeat(1025), ok: 'y' }), limits)
  assert.deepEqual(namesOf(kept), ['ok'])
  assert.match(aboutMissingClaims(kept, 20) ?? '', /^1 claims .* more than 1024 characters: long; shorten them$/)
})

test('people are told how many are missing, the first of them, and what to do', () => {
  const many = stated(Object.fromEntries(Array.from({ length: 28 }, (_, index) => [`c${index + 10}`, 'v'])))
  const kept = mirroredClaims(many, [], limits)
  assert.equal(
    aboutMissingClaims(kept, 20),
    '8 claims are not on the hub, because it takes 20 besides the reserved ones: c30, c31, c32, c33, c34, …; remove some or raise --max-custom-cluster-claims of the agent',
  )
  assert.equal(aboutMissingClaims(mirroredClaims([], [], limits), 20), undefined)
})

test('the order in which claims arrive does not matter', () => {
  const name = fc.stringMatching(/^[a-z]{1,3}$/)
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.nat(30), (names, most) => {
      const claims = stated(Object.fromEntries(names.map((each) => [each, 'v'])))
      const given = { maxCustomClusterClaims: most, reservedClusterClaimSuffixes: ['a'] }
      const kept = mirroredClaims(claims, [], given)
      assert.deepEqual(mirroredClaims([...claims].reverse(), [], given), kept)
      assert.equal(kept.mirrored.length + kept.cut.length, names.length)
      assert.ok(kept.cut.every((each) => !each.endsWith('a')))
    }),
  )
})

test('of a claim only its name and value are kept', () => {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1' }
  assert.deepEqual(onlyFact({ metadata: { ...metadata, labels: { x: 'y' } }, spec: { value: 'v' } }), {
    metadata,
    spec: { value: 'v' },
  })
})
