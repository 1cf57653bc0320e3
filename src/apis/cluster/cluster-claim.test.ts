import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { ClusterClaim } from './cluster-claim.ts'

const aClaim = (value: string): ClusterClaim => ({
  apiVersion: 'cluster.open-cluster-management.io/v1alpha1',
  kind: 'ClusterClaim',
  metadata: { name: 'id.k8s.io' },
  spec: { value },
})

test('a claim has a value of 1 to 1024 characters', () => {
  assert.deepEqual(ClusterClaim.check(aClaim('x'.repeat(1024)), { strict: true }), [])
  assert.deepEqual(ClusterClaim.check(aClaim('')).map(fieldErrorText), [
    'spec.value: Invalid value: "": spec.value in body should be at least 1 chars long',
  ])
  assert.deepEqual(ClusterClaim.check(aClaim('x'.repeat(1025))).map(fieldErrorText), [
    'spec.value: Too long: may not be more than 1024 bytes',
  ])
})

test('claims belong to the cluster, not to a namespace', () => {
  assert.equal(ClusterClaim.resource.namespaced, false)
})
