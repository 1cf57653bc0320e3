import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { labelValue, numberOf, sessionName, slotOf } from './slot.ts'

const slot = { cluster: 'prod.eu', user: 'dev@example.com', grantedGroup: 'oidc:Ops_Team' }

test('a slot is 16 hexadecimal digits, the same each time, another for each part of it', () => {
  assert.match(slotOf(slot), /^[0-9a-f]{16}$/)
  assert.equal(slotOf(slot), slotOf({ ...slot }))
  const others = [
    { ...slot, cluster: 'prod' },
    { ...slot, user: 'Dev@example.com' },
    { ...slot, grantedGroup: 'ops' },
    { cluster: 'prod.e', user: 'udev@example.com', grantedGroup: slot.grantedGroup },
  ]
  assert.equal(new Set([slot, ...others].map(slotOf)).size, 5)
})

test('the name of a session tells its cluster, its group and its number', () => {
  assert.equal(sessionName(slot, 3), `prod-eu-oidc-ops-team-${slotOf(slot)}-3`)
  assert.equal(numberOf(sessionName(slot, 3), slotOf(slot)), 3)
  assert.equal(numberOf('made-by-hand', slotOf(slot)), 0)
  assert.equal(numberOf(sessionName(slot, 3), slotOf({ ...slot, user: 'other' })), 0)
})

test('whatever it is made of, a name is one that Kubernetes takes, and tells its number', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 400 })
  fc.assert(
    fc.property(text, text, text, fc.integer({ min: 1, max: 10 ** 9 }), (cluster, user, grantedGroup, n) => {
      const of = { cluster, user, grantedGroup }
      const name = sessionName(of, n)
      assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      assert.ok(name.length <= 253)
      assert.equal(numberOf(name, slotOf(of)), n)
    }),
  )
})

test('whatever it is made of, a label is one that Kubernetes takes', () => {
  assert.equal(labelValue('dev@example.com'), 'dev_example.com')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
      assert.match(labelValue(text), /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/)
      assert.ok(labelValue(text).length <= 63)
    }),
  )
})
