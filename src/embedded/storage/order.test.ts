import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareBytes, compareNamespaces, indexBehind, indexFrom, insertSorted, removeSorted } from './order.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 6 })

test('names are ordered by their bytes, whatever they are made of', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(compareBytes(a, b), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
  assert.equal(compareBytes('\u{1f600}', '\uffee'), 1)
})

test('a namespace comes behind a longer one whose next character comes before the slash of the key', () => {
  assert.deepEqual(['a', 'ab', 'a-b', 'a0'].sort(compareNamespaces), ['a-b', 'a', 'a0', 'ab'])
})

test('a sorted list stays sorted as names come and go', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text), fc.array(fc.nat()), (names, leaving) => {
      const sorted: string[] = []
      for (const name of names) insertSorted(sorted, name, compareBytes)
      const gone = new Set(leaving.map((index) => names[index % names.length]).filter((name) => name !== undefined))
      for (const name of gone) removeSorted(sorted, name, compareBytes)
      const left = names.filter((name) => !gone.has(name)).sort(compareBytes)
      assert.deepEqual(sorted, left)
      for (const name of names) {
        assert.equal(
          indexFrom(sorted, name, compareBytes),
          left.filter((other) => compareBytes(other, name) < 0).length,
        )
        assert.equal(
          indexBehind(sorted, name, compareBytes),
          left.filter((other) => compareBytes(other, name) <= 0).length,
        )
      }
    }),
  )
})
