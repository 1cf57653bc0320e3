import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadTime, decodeMicroTime, decodeTime } from './timestamps.ts'

const told = (decode: (text: string) => string | undefined, text: string): string | undefined => {
  try {
    return decode(text)
  } catch (error) {
    if (error instanceof BadTime) return error.message
    throw error
  }
}

const layout = '2006-01-02T15:04:05Z07:00'

for (const [text, result] of [
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00.999Z', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00,5Z', '2020-01-01T00:00:00Z'],
  ['2020-01-01T00:00:00+01:00', '2019-12-31T23:00:00Z'],
  ['2020-01-01T0:00:00Z', '2020-01-01T00:00:00Z'],
  ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00Z'],
  ['0050-01-01T00:00:00Z', '0050-01-01T00:00:00Z'],
  ['0001-01-01T00:00:00Z', undefined],
  ['x', `parsing time "x" as "${layout}": cannot parse "x" as "2006"`],
  ['20200101', `parsing time "20200101" as "${layout}": cannot parse "0101" as "-"`],
  ['2020-01-01T00:00:00', `parsing time "2020-01-01T00:00:00" as "${layout}": cannot parse "" as "Z07:00"`],
  ['2020-01-01T00:00:00.Z', `parsing time "2020-01-01T00:00:00.Z" as "${layout}": cannot parse ".Z" as "Z07:00"`],
  ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
  ['2020-02-30T00:00:00Z', 'parsing time "2020-02-30T00:00:00Z": day out of range'],
  ['2020-01-01T00:00:00+25:00', 'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range'],
  ['2020-01-01T00:00:00Zfoo', 'parsing time "2020-01-01T00:00:00Zfoo": extra text: "foo"'],
] as const)
  test(`the time ${text}`, () => assert.equal(told(decodeTime, text), result))

test('a MicroTime has exactly six digits behind the point', () => {
  assert.equal(told(decodeMicroTime, '2020-01-01T00:00:00.123456+01:00'), '2019-12-31T23:00:00.123456Z')
  assert.equal(told(decodeMicroTime, '2020-01-01T00:00:00.000000Z'), '2020-01-01T00:00:00.000000Z')
  const micro = '2006-01-02T15:04:05.000000Z07:00'
  for (const [text, rest, wanted] of [
    ['2020-01-01T00:00:00Z', 'Z', '.000000'],
    ['2020-01-01T00:00:00.123Z', '.123Z', '.000000'],
    ['2020-01-01T00:00:00.1234567Z', '7Z', 'Z07:00'],
  ] as const)
    assert.equal(
      told(decodeMicroTime, text),
      `parsing time "${text}" as "${micro}": cannot parse "${rest}" as "${wanted}"`,
    )
})
