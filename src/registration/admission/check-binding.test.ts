import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterSetBinding } from '../../apis/cluster/managed-cluster-set-binding.ts'
import type { AdmissionRequest } from '../../fleet/admission.ts'
import { bindRight, checkBinding } from './check-binding.ts'

type Request = AdmissionRequest<ManagedClusterSetBinding>

const aBinding = (name: string, clusterSet?: string): ManagedClusterSetBinding => ({
  metadata: { name },
  ...(clusterSet !== undefined && { spec: { clusterSet } }),
})

const request = (object: ManagedClusterSetBinding, oldObject: ManagedClusterSetBinding | null = null) =>
  ({ userInfo: {}, operation: oldObject ? 'UPDATE' : 'CREATE', object, oldObject }) as unknown as Request

test('a new binding has the name of its set, and takes the right to bind it', () => {
  assert.equal(checkBinding(request(aBinding('red', 'red'))).allowed, true)
  assert.equal(bindRight(request(aBinding('red', 'red')))?.name, 'red')
  for (const wrong of [aBinding('red', 'blue'), aBinding('red', 'red1'), aBinding('red')]) {
    const verdict = checkBinding(request(wrong))
    assert.deepEqual([verdict.allowed, !verdict.allowed && verdict.code], [false, 400])
  }
})

test('one that stays as it is asks nobody, even if it should never have been', () => {
  for (const old of [aBinding('red', 'red'), aBinding('red', 'blue'), aBinding('red')]) {
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } }
    assert.equal(checkBinding(request(labelled, old)).allowed, true)
    assert.equal(bindRight(request(labelled, old)), undefined)
  }
})

test('one that is put right is bound anew', () => {
  assert.equal(bindRight(request(aBinding('red', 'red'), aBinding('red', 'blue')))?.name, 'red')
  assert.equal(checkBinding(request(aBinding('red', 'blue'), aBinding('red', 'red'))).allowed, false)
})
