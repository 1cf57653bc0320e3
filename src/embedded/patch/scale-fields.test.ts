import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ManagedFieldsEntry } from './managed.ts'
import { managedByScale, managedInScale } from './scale-fields.ts'

const replicas = { 'f:spec': { 'f:replicas': {} } }
const time = '2026-01-01T00:00:00Z'
const entry = (manager: string, fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})
const paths = new Map<string, readonly string[] | undefined>([
  ['apps/v1', ['spec', 'replicas']],
  ['apps/v2', ['spec', 'n']],
  ['apps/v3', undefined],
])

describe('who owns the number in a Scale', () => {
  test('is who owns it in the object, whatever its version calls it', () => {
    const parent = [
      entry('one', { 'f:spec': { 'f:other': {}, 'f:replicas': {} } }),
      entry('two', { 'f:spec': { 'f:n': {} } }, { apiVersion: 'apps/v2', operation: 'Apply' }),
      entry('three', replicas, { apiVersion: 'apps/v3' }),
      entry('four', { 'f:spec': { 'f:other': {} } }),
    ]
    assert.deepEqual(managedInScale(parent, paths), [
      entry('two', replicas, { apiVersion: 'autoscaling/v1', operation: 'Apply' }),
      entry('one', replicas, { apiVersion: 'autoscaling/v1' }),
    ])
  })

  test('takes it from who owned it in the object', () => {
    const parent = [entry('maker', { 'f:spec': { 'f:other': {}, 'f:replicas': {} } }), entry('only', replicas)]
    const scale = [entry('scaler', replicas, { apiVersion: 'autoscaling/v1', subresource: 'scale' })]
    assert.deepEqual(managedByScale(parent, scale, paths, 'apps/v1'), [
      withoutTime(entry('scaler', replicas, { subresource: 'scale' })),
      entry('maker', { 'f:spec': { 'f:other': {} } }),
    ])
  })

  test('keeps it where it was applied; what was updated comes to stand alone', () => {
    const parent = [
      entry('applier', { 'f:spec': { 'f:other': {}, 'f:replicas': {} } }, { operation: 'Apply' }),
      entry('maker', { 'f:spec': { 'f:more': {}, 'f:replicas': {} } }),
    ]
    assert.deepEqual(managedByScale(parent, managedInScale(parent, paths), paths, 'apps/v1'), [
      parent[0],
      withoutTime(entry('maker', replicas)),
      entry('maker', { 'f:spec': { 'f:more': {} } }),
    ])
  })

  test('is nobody of a version that is not known', () => {
    assert.deepEqual(managedByScale([entry('x', replicas, { apiVersion: 'apps/v9' })], [], paths, 'apps/v1'), [])
  })
})

function withoutTime({ time: _, ...rest }: ManagedFieldsEntry): ManagedFieldsEntry {
  return rest
}
