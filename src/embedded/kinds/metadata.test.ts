import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { checkMetadata, checkMetadataUpdate, checkStandardFinalizers } from './metadata.ts'
import { pathSegmentName } from './names.ts'

const good = { name: 'a', namespace: 'b', resourceVersion: '1', uid: 'u', creationTimestamp: 't' }
const told = (metadata: object, form = { namespaced: true }) =>
  checkMetadata({ ...good, ...metadata }, form).map(fieldErrorText)

test('a good one has nothing against it', () => {
  assert.deepEqual(told({ labels: { a: '' }, annotations: { A: '' }, finalizers: ['x.io/y'], generation: 3 }), [])
})

test('a name is needed, and a namespace where there are some', () => {
  assert.deepEqual(told({ name: '', namespace: '' }), [
    'metadata.name: Required value: name or generateName is required',
    'metadata.namespace: Required value',
  ])
  assert.deepEqual(told({}, { namespaced: false }), ['metadata.namespace: Forbidden: not allowed on this type'])
})

test('names are checked as the kind has it', () => {
  const form = { namespaced: true, checkName: pathSegmentName }
  assert.deepEqual(told({ name: 'A:b' }, form), [])
  assert.equal(told({ name: 'A:b' }).length, 1)
  assert.deepEqual(told({ generateName: 'a-' }), [])
})

test('the generation is not negative', () => {
  assert.deepEqual(told({ generation: -1 }), [
    'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
  ])
})

test('an update keeps who it is', () => {
  const after = { ...good, uid: 'v', deletionGracePeriodSeconds: 0 }
  assert.deepEqual(checkMetadataUpdate(after, good).map(fieldErrorText), [
    'metadata.uid: Invalid value: "v": field is immutable',
    'metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable',
  ])
  assert.deepEqual(checkMetadataUpdate(good, good), [])
})

test('an update is held to labels and the like as a new one is', () => {
  // Once as a new object is, and once as a change is: the real server names it twice.
  const errors = checkMetadataUpdate({ ...good, labels: { 'a b': '' } }, good)
  assert.deepEqual(
    errors.map(({ field }) => field),
    ['metadata.labels', 'metadata.labels'],
  )
})

test('an update names its version and does not count back', () => {
  const { resourceVersion, ...unversioned } = good
  assert.deepEqual(checkMetadataUpdate(unversioned, { ...good, generation: 2 }).map(fieldErrorText), [
    'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    'metadata.generation: Invalid value: 0: must not be decremented',
  ])
})

test('what is being deleted takes no new finalizers, and may lose some', () => {
  const old = { ...good, deletionTimestamp: 't', finalizers: ['x.io/a'] }
  const [error] = checkMetadataUpdate({ ...old, finalizers: ['x.io/c', 'x.io/b', 'x.io/a'] }, old)
  assert.match(error?.message ?? '', /found new finalizers \[\]string\{"x\.io\/b", "x\.io\/c"\}$/)
  assert.deepEqual(checkMetadataUpdate({ ...old, finalizers: [] }, old), [])
})

test('standard finalizers need no domain', () => {
  assert.deepEqual(checkStandardFinalizers(['kubernetes', 'orphan', 'foregroundDeletion', 'x.io/y']), [])
  assert.equal(checkStandardFinalizers(['mine']).length, 1)
})
