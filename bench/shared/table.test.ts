import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mebibytes, perSecond, rowOf } from './rows.ts'
import { table } from './table.ts'

const names = { ours: 'lanyard', theirs: 'client-node' }

test('a table shows medians, ranges, how many times better ours is, and whether the ranges meet', () => {
  const memory = mebibytes('rss', 'memory', (bytes: number) => bytes)
  const rate = perSecond('rate', 'events', 1_000, (ms: number) => [ms])
  const rows = [
    rowOf(memory, { ours: [50, 60, 55].map(mib), theirs: [110, 130, 120].map(mib) }),
    rowOf(rate, { ours: [100, 250, 200], theirs: [90, 110, 100] }),
  ]
  assert.deepEqual(table(rows, names).split('\n'), [
    '|        |                lanyard |             client-node | ratio |         better? |',
    '|--------|-----------------------:|------------------------:|------:|----------------:|',
    '| memory |   55.0 MiB (50.0–60.0) |       120 MiB (110–130) | 2.18× |             yes |',
    '| events | 5,000/s (4,000–10,000) | 10,000/s (9,091–11,111) | 0.50× | no, ranges meet |',
  ])
})

test('where a ratio was aimed at, it says whether that was reached', () => {
  const memory = { ...mebibytes('rss', 'memory', (bytes: number) => bytes), goal: 2 }
  const verdictOf = (ours: number) =>
    table([rowOf(memory, { ours: [mib(ours)], theirs: [mib(120)] })], names)
      .split('\n')
      .at(-1)
      ?.split(' | ')
      .slice(-2)
  assert.deepEqual(verdictOf(60), ['2.00×', '2×, met |'])
  assert.deepEqual(verdictOf(80), ['1.50×', '2×, missed |'])
})

const mib = (count: number) => count * 2 ** 20
