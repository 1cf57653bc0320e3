import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterProperty } from './cluster-property.ts'

test('a property has a value', () => {
  const check = (value: string) =>
    ClusterProperty.check({
      apiVersion: 'about.k8s.io/v1alpha1',
      kind: 'ClusterProperty',
      spec: { value },
    } as ClusterProperty)
  assert.deepEqual(check('x'), [])
  assert.deepEqual(
    check('').map(({ field }) => field),
    ['spec.value'],
  )
})

test('its group belongs to Kubernetes, so the manifest says who approved of it', () => {
  const { annotations } = ClusterProperty.crd().metadata ?? {}
  assert.match(annotations?.['api-approved.kubernetes.io'] ?? '', /^https:/)
})
