import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalBase64, illegalBase64At } from './base64.ts'

test('what is base64 is written as every encoder writes it', () => {
  for (const [sent, kept] of [
    ['', ''],
    ['YQ==', 'YQ=='],
    ['YWE=', 'YWE='],
    ['YR==', 'YQ=='],
    ['Y\nQ=\r\n=', 'YQ=='],
  ] as const)
    assert.equal(canonicalBase64(sent), kept)
})

test('what is not is refused, with the place that Go names', () => {
  for (const [sent, at] of [
    ['!!!', 0],
    ['YQ', 0],
    ['Y', 0],
    ['YWFhYQ', 4],
    ['_-8=', 0],
    ['YQ=x', 2],
    ['YQ==YQ==', 4],
    ['YWF!', 3],
  ] as const)
    assert.deepEqual([canonicalBase64(sent), illegalBase64At(sent)], [undefined, at], sent)
})
