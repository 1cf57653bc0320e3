import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finalizerWarnings } from './finalizer-warnings.ts'

const object = (...finalizers: string[]) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', finalizers },
})

test('a finalizer without a domain is warned of when it comes, and not again', () => {
  const advice = 'to avoid accidental conflicts with other finalizer writers'
  assert.deepEqual(finalizerWarnings(object('plain', 'example.com/hold', 'orphan', 'a.dot')), [
    `metadata.finalizers: "a.dot": prefer a domain-qualified finalizer name including a path (/) ${advice}`,
    `metadata.finalizers: "plain": prefer a domain-qualified finalizer name ${advice}`,
  ])
  assert.deepEqual(finalizerWarnings(object('plain'), object('plain')), [])
})
