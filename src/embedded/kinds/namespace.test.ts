import assert from 'node:assert/strict'
import { test } from 'node:test'
import { created, submitted, updated, whyNotCreated } from '../../../test/support/kind-rules.ts'
import { namespaces } from './namespace.ts'

test('a new one is active, labelled with its name and held', () => {
  const namespace = created(namespaces, { spec: { finalizers: ['x.io/y'] }, status: { phase: 'Terminating' } })
  assert.deepEqual(namespace.metadata.labels, { 'kubernetes.io/metadata.name': 'sample' })
  assert.deepEqual(namespace['spec'], { finalizers: ['x.io/y', 'kubernetes'] })
  assert.deepEqual(namespace['status'], { phase: 'Active' })
  assert.deepEqual(namespaces.rules?.finalizersOf?.(namespace), ['x.io/y', 'kubernetes'])
})

test('finalizers in spec change through finalize alone', () => {
  const old = created(namespaces)
  assert.deepEqual(updated(namespaces, old, { spec: {}, status: {} })['spec'], { finalizers: ['kubernetes'] })
  const { object, errors } = submitted(namespaces, 'finalize', old, {
    spec: { finalizers: [] },
    status: { phase: 'Odd' },
  })
  assert.deepEqual([object['spec'], object['status'], errors], [{ finalizers: [] }, { phase: 'Active' }, []])
  assert.equal(whyNotCreated(namespaces, { spec: { finalizers: ['mine'] } }).length, 1)
})

test('the phase goes with the deletion', () => {
  const old = created(namespaces)
  const dying = { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } }
  const told = (from: typeof old, phase: string) =>
    submitted(namespaces, 'status', from, { status: { phase } }).errors.length
  assert.deepEqual([told(old, 'Active'), told(old, 'Terminating')], [0, 1])
  assert.deepEqual([told(dying, 'Active'), told(dying, 'Terminating')], [1, 0])
})
