import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shares } from './shares.ts'

const all = (shares: Shares, who: string): number => {
  let count = 0
  for (; shares.hasRoom(who); count++) shares.take(who)
  return count
}

test('one alone may have all, and keeps nobody from their part', () => {
  const shares = new Shares(12)
  assert.deepEqual([all(shares, 'a'), all(shares, 'b'), all(shares, 'c')], [12, 6, 4])
  assert.deepEqual([all(shares, 'a'), all(shares, 'b')], [0, 0])
  assert.throws(() => shares.take('a'), { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } })
})

test('nobody is held to a part while some is left', () => {
  const shares = new Shares(12)
  shares.take('a')
  assert.equal(all(shares, 'b'), 11)
})

test('what is given back can be had again, and is given back once', () => {
  const shares = new Shares(2)
  const [one] = [shares.take('a'), shares.take('a')]
  assert.equal(shares.hasRoom('a'), false)
  one?.[Symbol.dispose]()
  one?.[Symbol.dispose]()
  assert.equal(all(shares, 'a'), 1)
})

test('what cannot be refused counts for its holder, as it changes', () => {
  const shares = new Shares(10)
  const held = shares.hold('a', 20)
  assert.deepEqual([shares.hasRoom('a'), shares.hasRoom('b', 5), shares.hasRoom('b', 6)], [false, true, false])
  held.set(4)
  assert.deepEqual([shares.hasRoom('a', 6), shares.hasRoom('a', 7)], [true, false])
})
