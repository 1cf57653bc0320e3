import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, Stored } from './objects.ts'
import { changesOf } from './watching.ts'

const anObject = (labels: Record<string, string>, version = '1'): Stored<KubeObject> => ({
  metadata: { name: 'a', uid: 'u', resourceVersion: version, labels },
})

test('an update counts only if what is looked at changes by it; what comes or goes always does', () => {
  const counts = changesOf<KubeObject>(({ metadata }) => metadata.labels)
  const [before, same, other] = [anObject({ a: '1' }), anObject({ a: '1' }, '2'), anObject({ a: '2' }, '3')]
  assert.equal(counts({ type: 'updated', previous: before, object: same }), false)
  assert.equal(counts({ type: 'updated', previous: same, object: other }), true)
  assert.equal(counts({ type: 'added', object: before }), true)
  assert.equal(counts({ type: 'deleted', object: before }), true)
})
