import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamPlaces } from './stream-places.ts'

const tooMany = { code: 'ACCESS_TOO_MANY_STREAMS', status: 429 }

test('one person has five streams at most, everybody together 500, and what ends makes room', () => {
  const places = new StreamPlaces()
  const ends = new AbortController()
  places.take('a', ends.signal)
  const { signal } = new AbortController()
  for (let more = 1; more < 5; more += 1) places.take('a', signal)
  assert.throws(() => places.take('a', signal), tooMany)
  places.take('b', signal)
  ends.abort()
  places.take('a', signal)
  for (let person = 0; person < 494; person += 1) places.take(`p${person}`, signal)
  assert.throws(() => places.take('c', signal), tooMany)
})
