import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedFieldsEntry } from './managed.ts'
import { managersAfterScale, scaleManagers } from './scale.ts'

const entry = (manager: string, spec: object, more: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  time: '2030-01-01T12:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': spec },
  ...more,
})

const parent = [entry('maker', { 'f:paused': {}, 'f:replicas': {} }), entry('other', { 'f:paused': {} })]

test('a Scale has the owners of the replicas', () => {
  assert.deepEqual(scaleManagers(parent), [entry('maker', { 'f:replicas': {} }, { apiVersion: 'autoscaling/v1' })])
})

test('who scales takes the replicas, in the version of the object and without a time', () => {
  const scaler = entry('scaler', { 'f:replicas': {} }, { apiVersion: 'autoscaling/v1', subresource: 'scale' })
  const { time: _, ...timeless } = entry('scaler', { 'f:replicas': {} }, { subresource: 'scale' })
  assert.deepEqual(managersAfterScale(parent, [scaler], 'apps/v1'), [
    timeless,
    entry('maker', { 'f:paused': {} }),
    entry('other', { 'f:paused': {} }),
  ])
})

test('a scale that changes nothing leaves the owners as they were', () => {
  assert.deepEqual(managersAfterScale(parent, scaleManagers(parent), 'apps/v1'), parent)
})
