import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Asked } from './contract.ts'
import { reviewKey } from './review-key.ts'

const text = fc.oneof(fc.constantFrom('', 'a', '1:a', 'r', 'p', '0:', '1'), fc.string({ maxLength: 4 }))
const attributes = fc.oneof(
  fc.record({ verb: text, path: text }),
  fc.record({
    verb: text,
    resource: fc.record({ group: text, version: text, resource: text, subresource: text, namespace: text, name: text }),
  }),
)
const question = fc.tuple(fc.array(text, { maxLength: 3 }), attributes)

test('two questions have one key only if they are one question', () => {
  fc.assert(
    fc.property(question, question, ([groupsA, a], [groupsB, b]) => {
      const same = JSON.stringify([groupsA, a]) === JSON.stringify([groupsB, b])
      const key = (groups: string[], asked: object) =>
        reviewKey(groups, { user: '', groups: [], ...asked } as unknown as Asked)
      assert.equal(key(groupsA, a) === key(groupsB, b), same)
    }),
    { numRuns: 5_000 },
  )
})
