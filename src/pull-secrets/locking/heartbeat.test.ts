import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientBase } from 'pg'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { heartbeat } from './heartbeat.ts'

function aConnection(answer: () => Promise<unknown>) {
  const clock = new FakeClock()
  const losses: unknown[] = []
  let asked = 0
  const query = () => {
    asked += 1
    return answer()
  }
  const beat = heartbeat({ query } as unknown as ClientBase, clock, (cause) => void losses.push(cause))
  return { clock, losses, beat, asked: () => asked }
}

test('a connection that answers is asked again and again', async () => {
  const { clock, losses, asked } = aConnection(async () => {})
  await clock.advance('1m')
  assert.equal(asked(), 12)
  assert.deepEqual(losses, [])
})

test('one that does not answer is lost', async () => {
  const { clock, losses } = aConnection(() => new Promise(() => {}))
  await clock.advance('9s')
  assert.equal(losses.length, 0)
  await clock.advance('1m')
  assert.equal(losses.length, 1)
})

test('one that answers with an error is lost at once', async () => {
  const error = new Error('gone')
  const { clock, losses } = aConnection(() => Promise.reject(error))
  await clock.advance('5s')
  assert.deepEqual(losses, [error])
})

test('nothing is asked once it is over', async () => {
  const { clock, asked, beat } = aConnection(async () => {})
  await beat[Symbol.asyncDispose]()
  await clock.advance('1m')
  assert.equal(asked(), 0)
  assert.equal(clock.nextDue, undefined)
})

test('it is not over before what was asked is answered, or known to be lost', async () => {
  const answer = Promise.withResolvers<void>()
  const answering = aConnection(() => answer.promise)
  await answering.clock.advance('5s')
  let over = false
  const ending = answering.beat[Symbol.asyncDispose]().then(() => {
    over = true
  })
  await answering.clock.settle()
  assert.ok(!over)
  answer.resolve()
  await ending
  assert.equal(answering.clock.nextDue, undefined)
  const silent = aConnection(() => new Promise(() => {}))
  await silent.clock.advance('5s')
  await Promise.all([silent.clock.advance('5s'), silent.beat[Symbol.asyncDispose]()])
  assert.equal(silent.losses.length, 1)
})
