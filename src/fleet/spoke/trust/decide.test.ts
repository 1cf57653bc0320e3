import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Situation } from './decide.ts'
import { decideTrust } from './decide.ts'

const offer = { fingerprint: 'new', vouchedBySystem: false, vouchedByKept: false }
const base: Situation = {
  ...{ kept: undefined, confirmed: undefined, mayTrustFirst: true, systemVouchedBefore: false },
  ...{ trustedBefore: undefined, offer: undefined },
}
const kept = { fingerprint: 'old', by: 'first-use' } as const

const table: [string, Partial<Situation>, ReturnType<typeof decideTrust>][] = [
  ['nothing is kept: the server is looked at', {}, { do: 'look' }],
  ['what the system does not know is kept when first seen', { offer }, { do: 'pin' }],
  ['what the system vouches for is not kept', { offer: { ...offer, vouchedBySystem: true } }, { do: 'use-system' }],
  ['without leave to trust, nobody looks', { mayTrustFirst: false }, { do: 'use-system' }],
  ['what the system vouched for is no first use', { systemVouchedBefore: true, offer }, { do: 'refuse-unvouched' }],
  ['a confirmation is leave enough', { mayTrustFirst: false, confirmed: 'new', offer }, { do: 'pin' }],
  ['also where the system vouched before', { systemVouchedBefore: true, confirmed: 'new', offer }, { do: 'pin' }],
  ['one that is confirmed excludes any other', { confirmed: 'x', offer }, { do: 'refuse-changed', onRecord: 'x' }],
  ['what is not kept any more is kept again', { trustedBefore: 'new', offer }, { do: 'pin' }],
  ['another in its place is none', { trustedBefore: 'old', offer }, { do: 'refuse-changed', onRecord: 'old' }],
  ['unless a person confirmed it', { trustedBefore: 'old', confirmed: 'new', offer }, { do: 'pin' }],
  ['what is kept needs no look', { kept }, { do: 'use-kept' }],
  ['nor when it was confirmed long ago', { kept, confirmed: 'old' }, { do: 'use-kept' }],
  ['a confirmation of another is a reason to look', { kept, confirmed: 'new' }, { do: 'look' }],
  ['and it takes the place of the old one', { kept, confirmed: 'new', offer }, { do: 'pin' }],
  [
    'a confirmation before the change waits for it',
    { kept, confirmed: 'next', offer: { ...offer, vouchedByKept: true } },
    { do: 'use-kept' },
  ],
  ['a third one is refused', { kept, confirmed: 'next', offer }, { do: 'refuse-changed', onRecord: 'old' }],
  ['what a person keeps there is theirs', { kept: { ...kept, by: 'person' }, confirmed: 'new' }, { do: 'use-kept' }],
]
for (const [name, changes, expected] of table)
  test(name, () => assert.deepEqual(decideTrust({ ...base, ...changes }), expected))

const names = fc.constantFrom('a', 'b', 'c')
const situations: fc.Arbitrary<Situation> = fc.record({
  kept: fc.option(fc.record({ fingerprint: names, by: fc.constantFrom('person' as const, 'first-use' as const) }), {
    nil: undefined,
  }),
  confirmed: fc.option(names, { nil: undefined }),
  mayTrustFirst: fc.boolean(),
  systemVouchedBefore: fc.boolean(),
  trustedBefore: fc.option(names, { nil: undefined }),
  offer: fc.option(fc.record({ fingerprint: names, vouchedBySystem: fc.boolean(), vouchedByKept: fc.boolean() }), {
    nil: undefined,
  }),
})

test('what is kept is replaced only by what a person confirmed', () => {
  fc.assert(
    fc.property(situations, (situation) => {
      if (decideTrust(situation).do !== 'pin' || !situation.kept) return
      assert.equal(situation.offer?.fingerprint, situation.confirmed)
      assert.equal(situation.kept.by, 'first-use')
    }),
  )
})

test('nothing is kept that nobody looked at, and nobody looks twice', () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const decision = decideTrust(situation).do
      if (decision === 'pin') assert.ok(situation.offer)
      if (decision === 'look') assert.equal(situation.offer, undefined)
    }),
  )
})

test('without leave and without a confirmation nothing is ever kept', () => {
  fc.assert(
    fc.property(situations, (situation) => {
      const decision = decideTrust({ ...situation, mayTrustFirst: false, confirmed: undefined })
      assert.ok(['use-kept', 'use-system'].includes(decision.do))
    }),
  )
})

test('what was trusted is followed only by itself or by what a person confirmed, kept or not', () => {
  fc.assert(
    fc.property(situations, (situation) => {
      if (decideTrust(situation).do !== 'pin' || situation.trustedBefore === undefined) return
      const { confirmed, trustedBefore, offer } = situation
      assert.ok([confirmed, trustedBefore].includes(offer?.fingerprint))
    }),
  )
})
