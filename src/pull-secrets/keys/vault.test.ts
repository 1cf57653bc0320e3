import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import type { KeyRing } from './ring.ts'
import { tokenVault } from './vault.ts'

const aRing = (active = 'k1', ...others: string[]): KeyRing => ({
  active,
  keys: new Map([active, ...others].map((id) => [id, Secret.of(randomBytes(32))])),
})
const owner = { credentialId: 'c1', registryId: 'quay', instanceId: 'i1' }
const unreadable = (error: unknown) => isFailure(error, 'PULL_TOKEN_UNREADABLE')

test('what was sealed opens for its owner, and the token is nowhere in it', () => {
  const vault = tokenVault(aRing())
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 8 }), (token) => {
      const { token: sealed, keyId } = vault.seal(owner, Secret.of(token))
      assert.equal(keyId, 'k1')
      assert.equal(vault.open(owner, sealed).reveal(), token)
      assert.ok(!sealed.includes(token))
    }),
  )
})

test('no two seals of one token are alike', () => {
  const vault = tokenVault(aRing())
  const seals = Array.from({ length: 100 }, () => vault.seal(owner, Secret.of('same')).token.toString('hex'))
  assert.equal(new Set(seals).size, 100)
})

test('pasted into the row of another owner it does not open', () => {
  const vault = tokenVault(aRing())
  const { token } = vault.seal(owner, Secret.of('token'))
  for (const other of [
    { ...owner, credentialId: 'c2' },
    { ...owner, registryId: 'redhat' },
    { ...owner, instanceId: 'i2' },
    // The same letters in a row, with the borders elsewhere.
    { credentialId: 'c', registryId: '1quay', instanceId: 'i1' },
    { credentialId: 'c1","quay', registryId: 'i1', instanceId: '' },
  ])
    assert.throws(() => vault.open(other, token), unreadable)
})

test('whatever is changed or cut off of it, it does not open', () => {
  const vault = tokenVault(aRing())
  const { token } = vault.seal(owner, Secret.of('token'))
  for (let at = 0; at < token.length; at++) {
    const bent = Buffer.from(token)
    bent[at] = (bent[at] as number) ^ 1
    assert.throws(() => vault.open(owner, bent), unreadable, `byte ${at}`)
    assert.throws(() => vault.open(owner, token.subarray(0, at)), unreadable, `length ${at}`)
  }
})

test('bytes of any kind are refused as such, never as an error of ours', () => {
  const vault = tokenVault(aRing(''))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      assert.throws(() => vault.open(owner, Buffer.from(bytes)), unreadable)
      assert.throws(() => vault.open(owner, Buffer.from([1, 0, ...bytes])), unreadable)
    }),
  )
})

test('it follows the ring: a new active key seals, an old one still opens', () => {
  const [before, after] = [aRing('k1'), aRing('k2')]
  let ring = before
  const vault = tokenVault(() => ring)
  const old = vault.seal(owner, Secret.of('old'))
  ring = { active: 'k2', keys: new Map([...before.keys, ...after.keys]) }
  assert.equal(vault.activeKeyId, 'k2')
  assert.equal(vault.seal(owner, Secret.of('new')).keyId, 'k2')
  assert.equal(vault.open(owner, old.token).reveal(), 'old')
  ring = after
  assert.throws(() => vault.open(owner, old.token), unreadable)
})

test('an error shows neither token nor key', () => {
  const vault = tokenVault(aRing())
  const { token } = vault.seal(owner, Secret.of('hush-hush'))
  assert.throws(
    () => vault.open({ ...owner, credentialId: 'c2' }, token),
    (error) => !JSON.stringify([String(error), error]).includes('hush-hush'),
  )
})
