import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestInfo } from '../requests/request-info.ts'
import { Load } from './load.ts'

const jane = { name: 'jane', groups: ['system:authenticated'] }
const john = { name: 'john', groups: ['system:authenticated'] }
const admin = { name: 'admin', groups: ['system:masters'] }

const get: RequestInfo = { isResource: false, verb: 'get', path: '/version' }
const post: RequestInfo = { isResource: false, verb: 'post', path: '/version' }

const begun = (load: Load, user: typeof jane, info: RequestInfo) => {
  const account = load.of(user)
  account.begin(info)
  return account
}

test('too many requests of one user are told to come again; those of others, of the other flow and of administrators are not', () => {
  const load = new Load()
  const underWay = Array.from({ length: 400 }, () => begun(load, jane, get))
  assert.throws(() => begun(load, jane, get), { code: 429, reason: 'TooManyRequests' })
  for (let count = 0; count < 200; count++) begun(load, john, get)
  assert.throws(() => begun(load, john, get), { code: 429 })
  begun(load, jane, post)
  begun(load, admin, get)
  for (const account of underWay.splice(200)) account[Symbol.dispose]()
  begun(load, admin, get)
  assert.throws(() => begun(load, jane, get), { code: 429 })
})

test('answers that a client does not read count for it alone, until they are gone', () => {
  const load = new Load()
  const unread = Array.from({ length: 13 }, () => load.of(jane).sending(10 * 1024 * 1024))
  assert.throws(() => begun(load, jane, get), { code: 429 })
  begun(load, john, get)
  unread[0]?.[Symbol.dispose]()
  begun(load, jane, get)
})

test('watches count for who opened them', () => {
  const load = new Load()
  const open = Array.from({ length: 10_000 }, () => load.of(jane).watch())
  assert.throws(() => load.of(jane).watch(), { code: 429 })
  load.of(john).watch()
  load.of(admin).watch()
  for (const watch of open.splice(5_000)) watch[Symbol.dispose]()
  load.of(jane).watch()
})
