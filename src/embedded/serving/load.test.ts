import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Load } from './load.ts'

const jane = { name: 'jane', groups: ['system:authenticated'] }
const admin = { name: 'admin', groups: ['system:masters'] }

test('too many requests at once are told to come again, except those of who can repair it', () => {
  const load = new Load()
  const underWay = Array.from({ length: 601 }, () => load.answering())
  assert.throws(() => load.admit(jane), { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } })
  load.admit(admin)
  underWay[0]?.[Symbol.dispose]()
  load.admit(jane)
})

test('answers that nobody reads count until they are gone', () => {
  const load = new Load()
  const unread = Array.from({ length: 13 }, () => load.sending(10 * 1024 * 1024))
  assert.throws(() => load.admit(jane), { code: 429 })
  unread[0]?.over()
  load.admit(jane)
})
