import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { Secret } from './secret.ts'

const value = 'hunter2'
const secret = Secret.of(value)

const ways: [name: string, print: () => string][] = [
  ['String()', () => String(secret)],
  ['a template', () => `${secret}`],
  ['concatenation', () => ['a', secret].join('')],
  ['JSON', () => JSON.stringify({ secret, list: [secret] })],
  ['inspect', () => inspect({ secret }, { showHidden: true, depth: 9, getters: true })],
  ['format %s %o %j %d', () => format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
  ['an error', () => String(new Error(`bad ${secret}`, { cause: secret }))],
  ['spreading', () => JSON.stringify({ ...secret })],
  ['keys and entries', () => JSON.stringify([Object.entries(secret), Reflect.ownKeys(secret)])],
  ['a structured clone', () => inspect(structuredClone(secret), { showHidden: true })],
  ['serialization', () => serialize(secret).toString('latin1')],
  ['bytes', () => inspect(Secret.of(Buffer.from(value)))],
]
for (const [name, print] of ways)
  test(`a secret does not show through ${name}`, () => {
    assert.ok(!print().includes(value), print())
    assert.ok(!print().includes(Buffer.from(value).toString('hex')))
  })

test('it prints as ***', () => {
  assert.deepEqual([`${secret}`, inspect(secret), JSON.stringify(secret)], ['***', '***', '"***"'])
})

test('reveal gives it away', () => {
  assert.equal(secret.reveal(), value)
  assert.deepEqual(Secret.of(new Uint8Array([1, 2])).reveal(), new Uint8Array([1, 2]))
})

test('secrets are equal when their bytes are', () => {
  assert.ok(secret.equals(Secret.of('hunter2')))
  assert.equal(secret.equals(Secret.of('hunter3')), false)
  assert.equal(secret.equals(Secret.of('hunter')), false)
  assert.ok(Secret.of(new Uint8Array([1])).equals(Secret.of(new Uint8Array([1]))))
})
