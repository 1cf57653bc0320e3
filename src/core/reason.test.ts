import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from './reason.ts'
import { meanings, reasonCatalogue } from './reason.ts'

const reasons = reasonCatalogue({ TokenExpired: 'The token has expired.', AsExpected: 'All is well.' })

test('a reason is its name, on the wire and in code', () => {
  assert.equal(JSON.stringify({ reason: reasons.TokenExpired }), '{"reason":"TokenExpired"}')
})

test('only a catalogue makes a reason', () => {
  const take = (_reason: Reason) => {}
  take(reasons.AsExpected)
  // @ts-expect-error a string is no reason
  take('AsExpected')
  // @ts-expect-error nor is what nobody declared
  take(reasons.Unheard)
})

test('the meanings are there for the reference page and not among the reasons', () => {
  assert.deepEqual(reasons[meanings], { TokenExpired: 'The token has expired.', AsExpected: 'All is well.' })
  assert.deepEqual(Object.keys(reasons), ['TokenExpired', 'AsExpected'])
})
