import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextPageIn } from './next-page.ts'

const begin = (metadata: string) =>
  Buffer.from(`{"kind":"SecretList","apiVersion":"v1","metadata":${metadata},"items":[{"a":1}`)

test('a list of a built-in kind begins with where it goes on', () => {
  assert.equal(nextPageIn(begin('{"resourceVersion":"7","continue":"abc==","remainingItemCount":5}')), 'abc==')
})

test('the last page goes on nowhere', () => {
  assert.equal(nextPageIn(begin('{"resourceVersion":"7"}')), undefined)
  assert.equal(nextPageIn(begin('{"resourceVersion":"7","continue":""}')), undefined)
})

test('what an object says is not taken for what the list says', () => {
  assert.equal(nextPageIn(begin('{"resourceVersion":"7"},"items":[{"metadata":{"continue":"mine"}}]')), undefined)
  assert.equal(
    nextPageIn(Buffer.from('{"apiVersion":"v1","items":[{"continue":"mine"}],"kind":"ThingList"')),
    undefined,
  )
})

test('half of a token is none', () => {
  assert.equal(nextPageIn(Buffer.from('{"kind":"SecretList","apiVersion":"v1","metadata":{"continue":"ab')), undefined)
})
