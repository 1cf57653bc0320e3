import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta } from '../objects.ts'
import type { OwnerState } from './owners.ts'
import { judge } from './owners.ts'

const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid })

const judged = (
  states: Readonly<Record<string, OwnerState>>,
  { metadata = {}, dependents = [] }: { metadata?: ObjectMeta; dependents?: ObjectMeta[] } = {},
) =>
  judge({
    metadata: { ownerReferences: Object.keys(states).map(owner), ...metadata },
    stateOf: ({ uid }) => states[uid] ?? 'absent',
    dependents: () => dependents,
  })

const deleting = { deletionTimestamp: '2026-06-01T12:00:00Z' }

test('without owners, with living ones, or being deleted already, an object is left alone', () => {
  assert.deepEqual(judged({}), { act: 'nothing' })
  assert.deepEqual(judged({ a: 'living', b: 'living' }), { act: 'nothing' })
  assert.deepEqual(judged({ a: 'absent' }, { metadata: deleting }), { act: 'nothing' })
})

test('one living owner is enough; the others are forgotten', () => {
  assert.deepEqual(judged({ a: 'absent', b: 'living', c: 'waiting' }), { act: 'release', uids: ['a', 'c'] })
})

test('without any it goes, in the way that its finalizers say', () => {
  assert.deepEqual(judged({ a: 'absent' }), { act: 'delete', policy: 'Background', free: false })
  const metadata = { finalizers: ['orphan'] }
  assert.deepEqual(judged({ a: 'absent' }, { metadata }), { act: 'delete', policy: 'Orphan', free: false })
  assert.deepEqual(judged({ a: 'absent' }, { metadata: { finalizers: ['foregroundDeletion'] } }), {
    act: 'delete',
    policy: 'Foreground',
    free: false,
  })
})

test('under an owner that waits, what it owns itself goes before it', () => {
  assert.deepEqual(judged({ a: 'waiting' }), { act: 'delete', policy: 'Background', free: false })
  assert.deepEqual(judged({ a: 'waiting' }, { dependents: [{}] }), { act: 'delete', policy: 'Foreground', free: false })
})

test('who waits for each other is set free', () => {
  const dependents = [{ ...deleting, finalizers: ['foregroundDeletion'] }]
  assert.deepEqual(judged({ a: 'waiting' }, { dependents }), { act: 'delete', policy: 'Foreground', free: true })
})

test('an owner that can be nowhere keeps everything as it is', () => {
  assert.deepEqual(judged({ a: 'nowhere', b: 'absent' }), { act: 'nothing' })
})
