import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditions } from '../../../fleet/names.ts'
import { aCondition } from './testing/scene.ts'
import { unknownWatch } from './unknown.ts'

test('Unknown asks for a renewal at once, and is over after it', () => {
  const pulse = {
    renewals: 3,
    asked: 0,
    renewNow() {
      pulse.asked += 1
    },
  }
  const watch = unknownWatch(pulse)
  const shown = (status: 'True' | 'Unknown') => ({ status: { conditions: [aCondition(conditions.available, status)] } })
  assert.ok(watch.hasRenewedSince({}))
  assert.ok(watch.hasRenewedSince(shown('True')))
  watch.see(shown('Unknown'))
  watch.see(shown('Unknown'))
  assert.equal(pulse.asked, 1)
  assert.ok(!watch.hasRenewedSince(shown('Unknown')))
  pulse.renewals += 1
  assert.ok(watch.hasRenewedSince(shown('Unknown')))
  watch.see(shown('True'))
  assert.ok(!watch.hasRenewedSince(shown('Unknown')), 'the next Unknown is another')
})
