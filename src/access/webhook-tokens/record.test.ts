import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TokenRecord } from './record.ts'
import { digestOf, isGood, recordOf, secretOf, tokenSecretName, withToken } from './record.ts'

const start = new Date('2026-03-01T12:00:00Z')
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
const hour = 3_600_000
const none: TokenRecord = { cluster: 'west', tokens: [] }
const [first, second, third] = ['a', 'b', 'c'].map(digestOf) as [string, string, string]
const good = ({ tokens }: TokenRecord, now: Date) =>
  tokens.filter((token) => isGood(token, now)).map(({ digest }) => digest)

test('a token is good until another follows it, and for the overlap after that', () => {
  const one = withToken(none, first, start, hour)
  assert.deepEqual(good(one, at(100_000)), [first])
  const two = withToken(one, second, at(10), hour)
  assert.deepEqual(good(two, at(69)), [second, first])
  assert.deepEqual(good(two, at(70)), [second])
})

test('without overlap those before are cut off at once', () => {
  const record = withToken(withToken(none, first, start, hour), second, at(1), 0)
  assert.deepEqual(good(record, at(1)), [second])
  assert.equal(record.tokens.length, 1)
})

test('a second rotation does not cut off what the first left good, nor lengthen it', () => {
  const two = withToken(withToken(none, first, start, hour), second, at(10), hour)
  const three = withToken(two, third, at(20), hour)
  assert.deepEqual(good(three, at(69)), [third, second, first])
  assert.deepEqual(good(three, at(70)), [third, second])
  assert.deepEqual(good(three, at(80)), [third])
})

test('what is over is not kept', () => {
  const two = withToken(withToken(none, first, start, hour), second, at(10), hour)
  assert.equal(withToken(two, third, at(71), hour).tokens.length, 2)
})

test('a Secret says again what it was made of, and holds digests only', () => {
  const record = withToken(none, first, start, hour)
  const secret = secretOf(record)
  assert.deepEqual(recordOf(secret), record)
  const text = JSON.stringify(secret) + Buffer.from(secret.data?.['tokens'] ?? '', 'base64').toString()
  assert.ok(text.includes(first))
  assert.equal(secret.metadata.name, tokenSecretName('west'))
})

test('a long name makes a Secret and a label that Kubernetes accepts', () => {
  const cluster = `${'a'.repeat(60)}.${'b'.repeat(60)}`
  const { metadata } = secretOf({ cluster, tokens: [] })
  assert.match(metadata.name, /^[a-z0-9-]{1,63}$/)
  assert.ok(Object.values(metadata.labels ?? {}).every((label) => label.length <= 63))
})

test('a Secret of another name, or with anything else in it, speaks for no cluster', () => {
  const secret = secretOf(withToken(none, first, start, hour))
  const data = (tokens: string) => ({ ...secret.data, tokens: Buffer.from(tokens).toString('base64') })
  assert.equal(recordOf({ ...secret, metadata: { name: tokenSecretName('east') } }), undefined)
  assert.equal(recordOf({ metadata: secret.metadata }), undefined)
  for (const tokens of ['', 'null', '{}', '[null]', '[{"digest":"x"}]', `[{"digest":"${first}","issuedAt":"no"}]`])
    assert.equal(recordOf({ ...secret, data: data(tokens) }), undefined, tokens)
})
