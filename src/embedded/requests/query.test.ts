import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badRequest } from '../status.ts'
import { booleanIn, integerIn, versionFlaw } from './query.ts'

const query = (text: string) => new URLSearchParams(text)

test('anything that is said is a yes, but for 0 and false', () => {
  const read = (text: string) => booleanIn(query(text), 'a')
  assert.deepEqual(['a', 'a=', 'a=1', 'a=true', 'a=no', 'a=1&a=0'].map(read), Array(6).fill(true))
  assert.deepEqual(['a=0', 'a=false', 'a=FALSE', 'a=0&a=1'].map(read), Array(4).fill(false))
  assert.equal(read('b=1'), undefined)
})

test('a number is one of 64 bits, or it is refused in the words of Go', () => {
  const read = (text: string) => integerIn(query(text), 'a')
  assert.deepEqual(['a=5', 'a=-1', 'a=%2B3', 'a=007', 'a=1&a=2', 'b=1'].map(read), [5, -1, 3, 7, 1, undefined])
  const refused = (text: string, why: string) => assert.throws(() => read(text), badRequest(`strconv.ParseInt: ${why}`))
  refused('a=', 'parsing "": invalid syntax')
  refused('a=x', 'parsing "x": invalid syntax')
  refused('a=1.5', 'parsing "1.5": invalid syntax')
  refused('a=+1', 'parsing " 1": invalid syntax')
  refused('a=9223372036854775808', 'parsing "9223372036854775808": value out of range')
  assert.equal(read('a=-9223372036854775808'), Number.MIN_SAFE_INTEGER * 1024 - 1024)
})

test('a version is a whole number without a sign', () => {
  assert.deepEqual(['0', '01', '18446744073709551615'].map(versionFlaw), [undefined, undefined, undefined])
  const flaw = (text: string, why: string) =>
    assert.equal(
      versionFlaw(text),
      `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": ${why}`,
    )
  flaw('x', 'invalid syntax')
  flaw('-1', 'invalid syntax')
  flaw('18446744073709551616', 'value out of range')
})
