import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compactFingerprint } from '../../../pki/index.ts'
import { readFingerprint } from './fingerprint.ts'

const digits = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))

test('colons and case do not matter, and what is read is written as people compare it', () => {
  fc.assert(
    fc.property(digits, (hex) => {
      const shown = readFingerprint(hex) ?? ''
      assert.match(shown, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
      assert.equal(compactFingerprint(shown), hex)
      for (const same of [shown, shown.toLowerCase(), hex.toUpperCase(), ` ${shown}\n`, `sha256:${hex}`])
        assert.equal(readFingerprint(same), shown)
    }),
  )
})

test('what openssl prints can be pasted as it stands', () => {
  const shown = 'AB:'.repeat(31).concat('AB')
  assert.equal(readFingerprint(`sha256 Fingerprint=${shown}`), shown)
  assert.equal(readFingerprint(`SHA256 Fingerprint=${shown}`), shown)
})

test('anything but 64 hex digits is none', () => {
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 63 }), (hex, length) => {
      assert.equal(readFingerprint(hex.slice(0, length)), undefined)
      assert.equal(readFingerprint(`${hex}${hex.slice(0, length + 1)}`), undefined)
      assert.equal(readFingerprint(`${hex.slice(0, length)}g${hex.slice(length + 1)}`), undefined)
    }),
  )
})
