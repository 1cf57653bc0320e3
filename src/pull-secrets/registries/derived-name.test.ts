import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../../core/failure.ts'
import { derivedName, isDerivedName } from './derived-name.ts'

const cluster = (id: string) => ({ id, cloudProvider: 'gcp', region: 'us-east1' })
const at = { registry: 'harbor', longest: 128 }
const named = (id: string, generation = 0, longest = 128) =>
  derivedName({ cluster: cluster(id), generation }, { ...at, longest })

test('a cluster has its own name, and another one each generation', () => {
  assert.equal(named('cls-abc-123'), 'hyp-cls-cls-abc-123')
  assert.equal(named('cls-abc-123', 1), 'hyp-cls-cls-abc-123-g001')
  assert.equal(named('cls-abc-123', 46_655), 'hyp-cls-cls-abc-123-gzzz')
})

test('the pool has names at random', () => {
  const [one, other] = [derivedName({ generation: 0 }, at), derivedName({ generation: 0 }, at)]
  assert.match(one, /^hyp-pool-[0-9a-f-]{36}$/)
  assert.notEqual(one, other)
})

test('ids that are not legal as they are become distinct names', () => {
  assert.match(named('ABC'), /^hyp-cls-abc-[0-9a-f]{12}$/)
  assert.match(named('a--b'), /^hyp-cls-a-b-[0-9a-f]{12}$/)
  assert.notEqual(named('a..b'), named('a--b'))
  assert.notEqual(named('a-g001'), named('a', 1))
})

test('whatever the id, the name is legal, short enough and the same again; different ids have different names', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,120}[A-Za-z0-9])?$/)
  fc.assert(
    fc.property(id, id, fc.nat(40_000), fc.integer({ min: 49, max: 200 }), (one, other, generation, longest) => {
      const name = named(one, generation, longest)
      assert.ok(isDerivedName(name), name)
      assert.ok(name.length <= longest, name)
      assert.equal(name, named(one, generation, longest))
      if (one !== other) assert.notEqual(name, named(other, generation, longest))
    }),
  )
})

test('where no legal name can be made, it says so', () => {
  assert.throws(
    () => named('a'.repeat(60), 0, 20),
    (error) => isFailure(error, 'PULL_NAME_IMPOSSIBLE'),
  )
})

test('names of others are not fit for a path', () => {
  for (const name of [
    '',
    '.',
    '..',
    'admin',
    'hyp-cls-',
    'hyp-cls-a/b',
    'hyp-cls-A',
    'hyp-cls-..',
    `hyp-cls-${'a'.repeat(255)}`,
  ])
    assert.equal(isDerivedName(name), false, name)
})
