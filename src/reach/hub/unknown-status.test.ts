import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failures as kubeFailures } from '../../kube/failures.ts'
import { statusOf } from './status-of.ts'
import { aConfig, itWorks } from './testing/builders.ts'
import { unknownStatus } from './unknown-status.ts'

const now = new Date('2026-01-01T00:00:00Z')
const late = kubeFailures.RECONCILE_DEADLINE({ controller: 'c', key: 'fleet/west', deadlineMs: 15_000 })

test('where nothing is known of this spec, Ready is Unknown and says why', () => {
  const { observedGeneration, conditions } = unknownStatus(aConfig(), late, now)
  const [ready] = conditions ?? []
  assert.deepEqual(
    [observedGeneration, ready?.type, ready?.status, ready?.reason],
    [2, 'Ready', 'Unknown', 'ValidationFailed'],
  )
  assert.match(ready?.message ?? '', /took more than 15000 ms/)
})

test('what is known of this spec stays; what is known of another does not stand for it', () => {
  const before = aConfig()
  const status = statusOf(before, itWorks(), now)
  assert.equal(unknownStatus(aConfig({ status }), late, now), status)
  const next = unknownStatus(aConfig({ generation: 3, status }), late, now)
  assert.equal(next.conditions?.find(({ type }) => type === 'Ready')?.status, 'Unknown')
})

test('the words of a defect are not passed on', () => {
  const { conditions } = unknownStatus(aConfig(), new TypeError('a canary'), now)
  assert.doesNotMatch(JSON.stringify(conditions), /canary/)
})
