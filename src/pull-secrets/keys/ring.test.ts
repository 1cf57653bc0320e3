import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import { formatKeyRing, parseKeyRing } from './ring.ts'

const key = randomBytes(32).toString('base64')
const parse = (text: string) => parseKeyRing(Secret.of(text), 'ring.yaml')

test('YAML and JSON give the same ring, and what is written is read back', () => {
  const yaml = parse(`active: b\nkeys:\n  a: ${key}\n  b: "${key}"\n`)
  const json = parse(JSON.stringify({ active: 'b', keys: { a: key, b: key } }))
  for (const ring of [yaml, json, parse(formatKeyRing(yaml).reveal())]) {
    assert.equal(ring.active, 'b')
    assert.deepEqual([...ring.keys.keys()], ['a', 'b'])
    assert.equal(Buffer.from(ring.keys.get('a')?.reveal() ?? []).toString('base64'), key)
  }
})

for (const [what, text] of [
  ['no content', ''],
  ['no YAML', `{active: a, keys: {a: ${key}`],
  ['no active key', `keys: {a: ${key}}`],
  ['an active key that is not there', `{active: b, keys: {a: ${key}}}`],
  ['no keys', 'active: a'],
  ['a list of keys', `{active: a, keys: [${key}]}`],
  ['a short key', `{active: a, keys: {a: ${randomBytes(16).toString('base64')}}}`],
  ['a key in hex', `{active: a, keys: {a: "${randomBytes(32).toString('hex')}"}}`],
  ['an id with a space', `{active: "a b", keys: {"a b": ${key}}}`],
  ['an id that is too long', `{active: ${'a'.repeat(64)}, keys: {${'a'.repeat(64)}: ${key}}}`],
] as const) {
  test(`a ring with ${what} is refused, and its failure shows no key`, () => {
    assert.throws(
      () => parse(text),
      (error) => isFailure(error, 'PULL_KEY_RING_WRONG') && !JSON.stringify([error.message, error.cause]).includes(key),
    )
  })
}
