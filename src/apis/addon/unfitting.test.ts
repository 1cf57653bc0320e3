import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onlyInV1Alpha1, recall } from './unfitting.ts'

test('nothing to keep leaves no annotation', () => {
  assert.deepEqual(onlyInV1Alpha1.write({}), {})
})

test('what was kept is read again, and nothing beside it', () => {
  const kept = { addOnConfiguration: { crName: 'x' } }
  assert.deepEqual(onlyInV1Alpha1.read(onlyInV1Alpha1.write(kept)), kept)
  const more = JSON.stringify({ ...kept, status: { registrations: [] } })
  assert.deepEqual(onlyInV1Alpha1.read({ [onlyInV1Alpha1.annotation]: more }), kept)
})

const recalled = (items: string[], kept: string[]) =>
  recall(
    items,
    (item) => item,
    kept.map((key, index) => ({ key, index })),
    ({ key }) => key,
  ).map((found) => found?.index)

test('of several with the same key the first gets what was kept first', () => {
  assert.deepEqual(recalled(['a', 'b', 'a'], ['a', 'b', 'a']), [0, 1, 2])
})

test('what moved is found, what is new gets nothing, what is gone is left', () => {
  assert.deepEqual(recalled(['b', 'c', 'a', 'a'], ['a', 'b', 'x']), [1, undefined, 0, undefined])
})
