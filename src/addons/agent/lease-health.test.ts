import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after } from '../../core/clock.ts'
import { microTime } from '../../kube/lease-record.ts'
import { defaultAddonSettings } from './deps.ts'
import { isCalledUnreachable, isJudgedByLease, judgeAddonLease } from './lease-health.ts'
import { anAddon } from './testing/builders.ts'

const now = new Date('2026-01-02T03:04:05Z')
const judged = (ageSeconds: number) => {
  const renewTime = microTime(after(now, -ageSeconds * 1_000))
  const { report, until } = judgeAddonLease('chart', { spec: { renewTime } }, now, defaultAddonSettings)
  return [report.status, report.reason, until?.toISOString()]
}

test('an add-on is available until five lease durations after its last renewal, to the moment', () => {
  const ends = (seconds: number) => after(now, seconds * 1_000).toISOString()
  assert.deepEqual(judged(0), ['True', 'ManagedClusterAddOnLeaseUpdated', ends(300)])
  assert.deepEqual(judged(299), ['True', 'ManagedClusterAddOnLeaseUpdated', ends(1)])
  assert.deepEqual(judged(300), ['False', 'ManagedClusterAddOnLeaseUpdateStopped', undefined])
})

test('without a lease, or with one that was never renewed, nothing is known', () => {
  for (const lease of [undefined, {}, { spec: {} }, { spec: { renewTime: 'yesterday' } }]) {
    const { report, until } = judgeAddonLease('chart', lease, now, defaultAddonSettings)
    assert.deepEqual([report.status, report.reason, until], ['Unknown', 'ManagedClusterAddOnLeaseNotFound', undefined])
  }
})

test('only add-ons with a health check by lease are judged, which is the default', () => {
  assert.equal(isJudgedByLease(anAddon('chart')), true)
  assert.equal(isJudgedByLease(anAddon('chart', { healthCheck: { mode: 'Lease' } })), true)
  assert.equal(isJudgedByLease(anAddon('chart', { healthCheck: { mode: 'Customized' } })), false)
})

test('Unknown for another reason than a missing lease is the hub’s word', () => {
  const told = (status: 'True' | 'Unknown', reason: string) => {
    const condition = { type: 'Available', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    return isCalledUnreachable(anAddon('chart', { conditions: [condition] }))
  }
  assert.equal(told('Unknown', 'ManagedClusterLeaseUpdateStopped'), true)
  assert.equal(told('Unknown', 'ManagedClusterAddOnLeaseNotFound'), false)
  assert.equal(told('True', 'ManagedClusterLeaseUpdateStopped'), false)
  assert.equal(isCalledUnreachable(anAddon('chart')), false)
})
