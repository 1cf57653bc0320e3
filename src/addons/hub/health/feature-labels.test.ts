import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionStatus } from '../../../core/conditions.ts'
import { anAddon } from '../../agent/testing/builders.ts'
import { labelChanges } from './feature-labels.ts'

const prefix = 'feature.open-cluster-management.io/addon-'
const addon = (name: string, status?: ConditionStatus) => {
  const condition = { type: 'Available', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  return anAddon(name, status ? { conditions: [{ ...condition, status }] } : {})
}

test('a label says how each add-on is doing, once anybody has said so', () => {
  const addons = [addon('a', 'True'), addon('b', 'False'), addon('c', 'Unknown'), addon('d')]
  const labels = { [`${prefix}a`]: 'available', [`${prefix}b`]: 'unhealthy', [`${prefix}c`]: 'unreachable' }
  assert.deepEqual(labelChanges(undefined, addons), labels)
  assert.equal(labelChanges({ ...labels, team: 'blue' }, addons), undefined)
})

test('the label of an add-on that is gone is removed, and others are left alone', () => {
  const present = { [`${prefix}a`]: 'available', [`${prefix}b`]: 'available', team: 'blue' }
  assert.deepEqual(labelChanges(present, [addon('a', 'False')]), { [`${prefix}a`]: 'unhealthy', [`${prefix}b`]: null })
})

test('an add-on whose name is too long for a label goes without one', () => {
  assert.equal(labelChanges({}, [addon('a'.repeat(58), 'True')]), undefined)
  assert.equal(Object.keys(labelChanges({}, [addon('a'.repeat(57), 'True')]) ?? {}).length, 1)
})
