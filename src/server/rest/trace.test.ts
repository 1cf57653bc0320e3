import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceOf } from './trace.ts'

const id = 'a1'.repeat(16)
const parent = 'b2'.repeat(8)

test('a trace that comes along goes on, with a span of our own', () => {
  const { traceId, traceparent } = traceOf(`00-${id}-${parent}-01`)
  assert.equal(traceId, id)
  assert.match(traceparent, new RegExp(`^00-${id}-[0-9a-f]{16}-01$`))
  assert.ok(!traceparent.includes(parent))
})

test('a later version is read as far as it is known', () => {
  assert.equal(traceOf(`01-${id}-${parent}-01-more`).traceId, id)
})

for (const wrong of [
  undefined,
  '',
  'x',
  `00-${id}-${parent}`,
  `00-${id}-${parent}-01-more`,
  `ff-${id}-${parent}-01`,
  `00-${'0'.repeat(32)}-${parent}-01`,
  `00-${id}-${'0'.repeat(16)}-01`,
  `00-${id.toUpperCase()}-${parent}-01`,
])
  test(`${wrong} starts a new trace`, () => {
    const { traceId, traceparent } = traceOf(wrong)
    assert.notEqual(traceId, id)
    assert.match(traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  })
