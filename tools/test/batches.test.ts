import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { batchesOf } from './batches.ts'

const folders = [
  'src/kube/client',
  'src/kube',
  'src/core',
  'test/acceptance',
  'test/acceptance/reach',
  'test/peers',
  'test',
]
const someFiles = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...folders), fc.nat(200)).map(([folder, number]) => `${folder}/${number}.test.ts`),
)

test('each file is in one batch, and no batch is empty', () => {
  fc.assert(
    fc.property(someFiles, fc.integer({ min: 1, max: 40 }), (files, weight) => {
      const batches = batchesOf(files, weight)
      assert.deepEqual(batches.flat().sort(), [...files].sort())
      assert.ok(batches.every((batch) => batch.length > 0))
    }),
  )
})

test('files of one area are together, in batches of one size', () => {
  const files = Array.from({ length: 10 }, (_, number) => `src/kube/${number}.test.ts`)
  const sizes = (weight: number) => batchesOf([...files, 'src/core/a.test.ts'], weight).map((batch) => batch.length)
  assert.deepEqual(sizes(10), [10, 1])
  assert.deepEqual(sizes(6), [5, 5, 1])
  assert.deepEqual(sizes(1), Array(11).fill(1))
})

test('an acceptance file weighs as much as four others, and what takes long goes first', () => {
  const files = [...'abcd'].flatMap((name) => [`src/core/${name}.test.ts`, `test/acceptance/reach/${name}.test.ts`])
  assert.deepEqual(
    batchesOf(files, 8).map((batch) => batch.map((file) => file.slice(0, -'.test.ts'.length))),
    [
      ['test/acceptance/reach/a', 'test/acceptance/reach/b'],
      ['test/acceptance/reach/c', 'test/acceptance/reach/d'],
      ['src/core/a', 'src/core/b', 'src/core/c', 'src/core/d'],
    ],
  )
})

test('small folders share a batch, up to its size', () => {
  const files = ['src/core/a', 'src/core/b', 'src/pki/a', 'src/server/a', 'src/demo/a', 'src/demo/b', 'src/demo/c']
  assert.deepEqual(batchesOf(files, 4), [
    ['src/core/a', 'src/core/b', 'src/pki/a', 'src/server/a'],
    ['src/demo/a', 'src/demo/b', 'src/demo/c'],
  ])
})
