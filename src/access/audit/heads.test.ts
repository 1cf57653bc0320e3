import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outdated } from './heads.ts'

const now = new Date('2026-06-01T00:00:00Z')
const head = (at: string) => JSON.stringify({ writer: 'w', seq: 1, hash: 'h', at, sink: 'log' })

test('heads go after 400 days, and what is no head stays', () => {
  const data = { old: head('2025-04-01T00:00:00Z'), young: head('2025-05-01T00:00:00Z'), other: 'somebody wrote this' }
  assert.deepEqual(outdated(data, now), [['old', data.old]])
})

test('of too many the oldest go, before nothing fits any more', () => {
  const all = Array.from({ length: 1_002 }, (_, at) => [
    `w${at}`,
    head(new Date(now.getTime() - at * 1_000).toISOString()),
  ])
  assert.deepEqual(
    outdated(Object.fromEntries(all), now).map(([key]) => key),
    ['w1000', 'w1001'],
  )
})
