import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onceReady } from './once-ready.ts'

const port = { twice: async (n: number) => 2 * n }

test('each call waits until the port is ready, and fails with it', async () => {
  let asked = 0
  const ready = async () => {
    asked += 1
    if (asked === 1) throw new Error('not yet')
    return port
  }
  const waiting = onceReady(ready)
  assert.equal(asked, 0)
  await assert.rejects(waiting.twice(1), /not yet/)
  assert.equal(await waiting.twice(2), 4)
})

test('a port that is handed through a promise is still the port', async () => {
  const waiting = onceReady(async () => port)
  assert.equal(await (await Promise.resolve(waiting)).twice(3), 6)
})
