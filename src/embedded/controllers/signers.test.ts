import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateUsages, lifetime } from './signers.ts'

const now = new Date('2026-06-01T12:00:00Z')
const minuteMs = 60_000
const hourMs = 60 * minuteMs

const endsAfter = (seconds: number | undefined) => lifetime(seconds, now).notAfter.getTime() - now.getTime()

test('a certificate has been valid for five minutes', () => {
  assert.equal(lifetime(3_600, now).notBefore.getTime(), now.getTime() - 5 * minuteMs)
})

test('what lives for less than eight hours has them all ahead, what lives longer has spent five minutes', () => {
  assert.equal(endsAfter(600), 10 * minuteMs)
  assert.equal(endsAfter(8 * 3_600 - 1), 8 * hourMs - 1_000)
  assert.equal(endsAfter(8 * 3_600), 8 * hourMs - 5 * minuteMs)
})

test('nothing lives for less than ten minutes or more than a year, which is also what nobody asked for gets', () => {
  assert.equal(endsAfter(1), 10 * minuteMs)
  assert.equal(endsAfter(undefined), 365 * 24 * hourMs - 5 * minuteMs)
  assert.equal(endsAfter(2_000_000_000), endsAfter(undefined))
})

test('usages are written as they were asked for', () => {
  assert.deepEqual(certificateUsages(['client auth']), { usages: ['client'], keyUsages: [] })
  assert.deepEqual(certificateUsages(['key encipherment', 'server auth', 'digital signature']), {
    usages: ['server'],
    keyUsages: ['digitalSignature', 'keyEncipherment'],
  })
})
