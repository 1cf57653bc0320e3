import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isFailure } from '../../core/failure.ts'
import { failures } from './failures.ts'
import { bodyReader } from './read-body.ts'
import * as schemas from './schemas.ts'

const read = bodyReader(schemas.wish, failures.ACCESS_BAD_WISH)
const refused = (text: string) =>
  assert.throws(
    () => read(text),
    (error) => isFailure(error, 'ACCESS_BAD_WISH') && error.status === 422,
  )

test('a body is read as it is', () => {
  assert.deepEqual(read('{"cluster":"a","group":"b","duration":60}'), { cluster: 'a', group: 'b', duration: 60 })
  assert.deepEqual(read(''), {})
  assert.deepEqual(read(' \n'), {})
})

for (const text of [
  '[]',
  'null',
  '1',
  '"a"',
  '{',
  '{} {}',
  '{}x',
  '{"a":1}',
  '{"cluster":null}',
  '{"duration":1.5}',
  '{"__proto__":{}}',
])
  test(`${text} is refused`, () => refused(text))

test('whatever is sent is read or refused, and nothing of it is told that could be secret', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        assert.equal(typeof read(text), 'object')
      } catch (error) {
        assert.ok(isFailure(error, 'ACCESS_BAD_WISH'), String(error))
      }
    }),
  )
  assert.throws(
    () => read('{"cluster":{"password":"hunter2"}}'),
    (error) => !String(error).includes('hunter2'),
  )
})
