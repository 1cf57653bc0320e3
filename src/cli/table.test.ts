import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSpan, formatTable } from './table.ts'

const columns = [
  { heading: 'NAME', cell: ({ name }: { name: string }) => name },
  { heading: 'SETS', cell: () => undefined },
  { heading: 'URL', cell: () => 'https://a', wide: true },
]

test('columns are as wide as their widest cell, and nothing trails', () => {
  assert.equal(
    formatTable(columns, [{ name: 'west' }, { name: 'northeast' }]),
    'NAME        SETS\nwest        -\nnortheast   -\n',
  )
})

test('wide columns show when asked for', () => {
  assert.equal(formatTable(columns, [{ name: 'a' }], true), 'NAME   SETS   URL\na      -      https://a\n')
})

test('no rows leave the headings', () => {
  assert.equal(formatTable(columns, []), 'NAME   SETS\n')
})

const spans: [ms: number, text: string][] = [
  [-5, '0s'],
  [400, '0s'],
  [45_000, '45s'],
  [60_000, '1m'],
  [3_661_000, '1h1m'],
  [86_400_000, '1d'],
  [86_400_000 + 60_000, '1d'],
  [3 * 86_400_000 + 4 * 3_600_000 + 5, '3d4h'],
]
for (const [ms, text] of spans) test(`${ms} ms is told as ${text}`, () => assert.equal(formatSpan(ms), text))
