import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nameIn, pooledName, serviceAccountName } from './names.ts'

const uuid = '019466a0-8f8e-7abc-9def-0123456789ab'
const tooLong = 'my-very-long-external-cluster-identifier-0001-eu-prod'
const named = (id: string, generation = 0) => serviceAccountName({ id, generation })

const table: [id: string, generation: number, name: string, length: number][] = [
  [uuid, 0, `hyp-cls-${uuid}`, 44],
  [uuid, 1, `hyp-cls-${uuid}-g001`, 49],
  ['cls-abc-123', 0, 'hyp-cls-cls-abc-123', 19],
  ['cls-abc-123', 35, 'hyp-cls-cls-abc-123-g00z', 24],
  ['abc123def456', 0, 'hyp-cls-abc123def456', 20],
  [`cls-${uuid}`, 0, `hyp-cls-cls-${uuid}`, 48],
  [tooLong, 0, 'hyp-cls-my-very-long-external-c-ba633609d316', 44],
  [tooLong, 1, 'hyp-cls-my-very-long-external-c-ba633609d316-g001', 49],
]
for (const [id, generation, name, length] of table)
  test(`${id} of generation ${generation} is ${name}`, () => {
    assert.equal(named(id, generation), name)
    assert.equal(name.length, length)
  })

test('a plain name without room for a suffix is hashed from the first generation on', () => {
  const plain = named(`cls-${uuid}`, 0) ?? ''
  const next = named(`cls-${uuid}`, 1) ?? ''
  assert.equal(plain.length, 48)
  assert.match(next, /^hyp-cls-cls-019466a0-8f8e-7abc--[0-9a-f]{12}-g001$/)
  assert.equal(next.length, 49)
})

test('names of the pool have 45 characters', () => {
  assert.equal(pooledName(uuid), `hyp-pool-${uuid}`)
  assert.equal(pooledName(uuid).length, 45)
})

test('after 46655 generations there is no name any more', () => {
  assert.equal(named('a', 36 ** 3 - 1), 'hyp-cls-a-gzzz')
  assert.equal(named('a', 36 ** 3), undefined)
})

test('ids out of other characters make no name', () => {
  for (const id of ['', 'a b', 'a/b', 'ü', 'a:b', 'a|b', 'a\nb', 'a%2f']) assert.equal(named(id), undefined, id)
})

test('no two ids and no two generations share a name, and every name is legal', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9._-]{1,80}$/)
  const generation = fc.integer({ min: 0, max: 46_655 })
  fc.assert(
    fc.property(id, id, generation, generation, (a, b, m, n) => {
      const [first, second] = [named(a, m), named(b, n)]
      assert.match(first ?? '', /^[A-Za-z0-9][A-Za-z0-9._-]{0,48}$/)
      assert.equal(first === named(a, m), true)
      // An id may end like a suffix; within one cluster names never meet.
      if (a === b ? m !== n : m === 0 && n === 0 && a.length <= 41 && b.length <= 41) assert.notEqual(first, second)
    }),
  )
})

test('a username is read through its first pipe', () => {
  assert.equal(nameIn('|hyp-cls-a'), 'hyp-cls-a')
  assert.equal(nameIn('12345678|hyp-cls-a'), 'hyp-cls-a')
  assert.equal(nameIn('1|a|b'), 'a|b')
  assert.equal(nameIn('hyp-cls-a'), undefined)
})
