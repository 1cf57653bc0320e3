import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../storage/store.ts'
import { OwnerIndex } from './owner-index.ts'

const entry = (name: string, ...uids: string[]): Entry => {
  const ownerReferences = uids.map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid }))
  const metadata = { name, namespace: 'here', ...(uids.length > 0 && { ownerReferences }) }
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
  return { storage: 'configmaps', namespace: 'here', name, revision: 1, text, writtenAt: 0 }
}

test('dependents are found by the uid of each owner, and no longer once they are somebody else’s or gone', () => {
  const index = new OwnerIndex()
  index.move(undefined, entry('a', 'x', 'y'))
  index.move(undefined, entry('b', 'x'))
  assert.deepEqual(index.dependentsOf('x'), ['configmaps here/a', 'configmaps here/b'])
  index.move(entry('a', 'x', 'y'), entry('a', 'y'))
  assert.deepEqual([index.dependentsOf('x'), index.dependentsOf('y')], [['configmaps here/b'], ['configmaps here/a']])
  index.move(entry('b', 'x'), undefined)
  assert.deepEqual(index.dependentsOf('x'), [])
})
