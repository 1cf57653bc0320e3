import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { Turns } from './turns.ts'

/** Work that takes as long as it takes to be long, on any machine. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Requests that note who was answered. */
function requests() {
  const turns = new Turns()
  const answered: string[] = []
  const ask = async (who: string, ms: number) => {
    await turns.begin(who)
    // Between its steps a request waits for promises that are settled.
    await Promise.resolve()
    work(ms)
    answered.push(who)
  }
  return { answered, ask }
}

test('between two long requests of one identity, those of others are answered', async () => {
  const { answered, ask } = requests()
  const flood = Array.from({ length: 5 }, () => ask('flood', 25))
  // All came before; what jane asks comes as the first of them is done.
  await flood[0]
  const jane = [ask('jane', 0), ask('jane', 0), ask('jane', 0)]
  await Promise.all([...flood, ...jane])
  assert.ok(answered.lastIndexOf('jane') <= 5, answered.join())
  assert.deepEqual(answered.slice(-2), ['flood', 'flood'])
})

test('between long requests, what the network brought is looked at', async () => {
  const { answered, ask } = requests()
  const flood = Promise.all(Array.from({ length: 4 }, () => ask('flood', 25)))
  const seen: number[] = []
  while (answered.length < 4) {
    await nextRound()
    seen.push(answered.length)
  }
  await flood
  assert.deepEqual(
    [...new Set(seen)].filter((count) => count > 1),
    [2, 3, 4],
  )
})

test('short requests begin in one round', async () => {
  const { answered, ask } = requests()
  const all = Promise.all([ask('jane', 0), ask('john', 0), ask('jane', 0)])
  await nextRound()
  assert.deepEqual(answered, ['jane', 'john', 'jane'])
  await all
})
