import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pass } from './pass.ts'
import { ownedPassBoard, passBoard } from './pass-board.ts'
import { reasons } from './reasons.ts'

const aPass = (id: string, fingerprint = 'f'): Pass => ({
  id,
  kind: 'check',
  holder: id,
  issuer: 'desk',
  issuedAt: new Date(0),
  keptIn: 'memory',
  fingerprint,
  state: reasons.PassIssued,
})

test('the list holds the last state of each pass', async () => {
  const board = passBoard()
  board.put(aPass('a'))
  board.put(aPass('b'))
  board.put(aPass('a', 'g'))
  board.remove('b', new Date(5))
  assert.deepEqual(await Array.fromAsync(board.list()), [aPass('a', 'g')])
})

test('changes arrive in order, and a pass that is gone says when it ended', async () => {
  const board = passBoard()
  const stop = new AbortController()
  const changes = board.changes(stop.signal)[Symbol.asyncIterator]()
  const first = changes.next()
  board.put(aPass('a'))
  assert.deepEqual((await first).value, aPass('a'))
  board.put(aPass('b'))
  board.remove('a', new Date(5))
  assert.deepEqual((await changes.next()).value, aPass('b'))
  assert.deepEqual((await changes.next()).value, { ...aPass('a'), expiresAt: new Date(5) })
  stop.abort()
  assert.equal((await changes.next()).done, true)
})

test('a slow reader gets the newest state of each pass, not the whole past', async () => {
  const board = passBoard()
  const stop = new AbortController()
  const changes = board.changes(stop.signal)[Symbol.asyncIterator]()
  const first = changes.next()
  board.put(aPass('a', '0'))
  await first
  for (let i = 1; i <= 100; i++) board.put(aPass('a', String(i)))
  assert.equal(((await changes.next()).value as Pass).fingerprint, '100')
  stop.abort()
})

test('what changes between subscribing and the first read is not missed', async () => {
  const board = passBoard()
  const stop = new AbortController()
  const changes = board.changes(stop.signal)
  board.put(aPass('a'))
  assert.deepEqual((await changes[Symbol.asyncIterator]().next()).value, aPass('a'))
  stop.abort()
})

test('of the passes of an owner only what changed is told, and what is not named any more is gone', async () => {
  const board = ownedPassBoard({ now: () => new Date(5) })
  const stop = new AbortController()
  const changes = board.changes(stop.signal)[Symbol.asyncIterator]()
  const next = async () => (await changes.next()).value
  board.tell('other', [aPass('o')])
  assert.deepEqual(await next(), aPass('o'))
  board.tell('owner', [aPass('a'), aPass('b')])
  assert.deepEqual([await next(), await next()], [aPass('a'), aPass('b')])
  board.tell('owner', [aPass('a'), aPass('b', 'g')])
  assert.deepEqual(await next(), aPass('b', 'g'))
  board.tell('owner', [aPass('b', 'g')])
  assert.deepEqual(await next(), { ...aPass('a'), expiresAt: new Date(5) })
  board.tell('owner', [])
  assert.deepEqual(await next(), { ...aPass('b', 'g'), expiresAt: new Date(5) })
  assert.deepEqual(await Array.fromAsync(board.list()), [aPass('o')])
  stop.abort()
})
