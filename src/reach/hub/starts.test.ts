import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Starts } from './starts.ts'

function scene() {
  const clock = new FakeClock()
  const starts = new Starts(clock, { most: 2, heldMs: 250 })
  const begun: string[] = []
  const ending = new AbortController()
  const begin = (name: string) =>
    starts.begin(ending.signal).then((place) => {
      begun.push(name)
      return place
    })
  return { clock, begun, begin, ending }
}

test('so many begin at a time, and whoever is over makes room for the next', async () => {
  const { clock, begun, begin } = scene()
  const places = ['a', 'b', 'c', 'd'].map(begin)
  await clock.settle()
  assert.deepEqual(begun, ['a', 'b'])
  const first = await places[0]
  first?.[Symbol.dispose]()
  first?.[Symbol.dispose]()
  await clock.settle()
  assert.deepEqual(begun, ['a', 'b', 'c'])
})

test('one that hangs makes room after a moment, and not once more when it is over', async () => {
  const { clock, begun, begin } = scene()
  const places = ['a', 'b', 'c', 'd', 'e'].map(begin)
  await clock.advance(249)
  assert.deepEqual(begun, ['a', 'b'])
  await clock.advance(1)
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
  for (const place of await Promise.all(places.slice(0, 2))) place[Symbol.dispose]()
  await clock.settle()
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'])
})

test('who stops waiting takes nobody else a place', async () => {
  const { clock, begun, begin, ending } = scene()
  const places = ['a', 'b', 'c'].map(begin)
  await clock.settle()
  ending.abort(new Error('the end'))
  await assert.rejects(places[2] ?? Promise.resolve(), /the end/)
  await clock.advance(250)
  assert.deepEqual(begun, ['a', 'b'])
})
