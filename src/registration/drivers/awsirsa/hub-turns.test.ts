import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turns } from './hub-turns.ts'

test('what is done under one key waits for what came before, also if that failed, and other keys do not wait', async () => {
  const inTurn = turns()
  const said: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = inTurn('a', async () => {
    await gate.promise
    said.push('first')
    throw new Error('failed')
  })
  const second = inTurn('a', async () => void said.push('second'))
  await inTurn('b', async () => void said.push('other'))
  gate.resolve()
  await assert.rejects(first, /failed/)
  await second
  assert.deepEqual(said, ['other', 'first', 'second'])
})
