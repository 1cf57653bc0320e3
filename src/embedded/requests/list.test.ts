import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { aKind, served } from '../admission/testing/scene.ts'
import { ApiFailure } from '../status.ts'
import type { StoreOptions } from '../storage/open-store.ts'
import { configMaps, watchScene } from '../watch/testing/scene.ts'
import type { Listed } from './list.ts'
import { listEntries, untilRevision } from './list.ts'
import { readListParameters } from './parameters.ts'

function scene(t: TestScope, options: Partial<StoreOptions> = {}) {
  const { store, clock, put } = watchScene(t, options)
  return {
    ...{ store, clock, put },
    ask: (query: string, namespace = 'home', of = configMaps): Promise<Listed> =>
      listEntries({ store, clock }, of, namespace, readListParameters(new URLSearchParams(query), false)),
  }
}

const told = ({ entries }: Listed): string =>
  entries.map(({ name, text }) => `${name}${JSON.parse(text).data.value}`).join(' ')

const failure = async (asked: Promise<unknown>): Promise<ApiFailure> =>
  asked.then(
    () => assert.fail('it was answered'),
    (error) => {
      assert.ok(error instanceof ApiFailure, String(error))
      return error
    },
  )

test('pages of a store that changes in between are one snapshot', async (t) => {
  const { put, ask, store } = scene(t)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await put(name, '1')
  const first = await ask('limit=2')
  assert.deepEqual([told(first), first.remaining, first.revision], ['a1 b1', 3, 5])
  await put('a-new', '1')
  await put('bb-new', '1')
  await put('c', '2')
  await put('d')
  await put('f', '1')
  const second = await ask(`limit=2&continue=${first.continueToken}`)
  assert.deepEqual([told(second), second.remaining, second.revision], ['c1 d1', 1, 5])
  const third = await ask(`limit=2&continue=${second.continueToken}`)
  assert.deepEqual([told(third), third.remaining, third.continueToken, third.revision], ['e1', undefined, undefined, 5])
  assert.equal(told(await ask(`continue=${first.continueToken}`)), 'c1 d1 e1')
  assert.equal(store.revision, 10)
})

test('whatever happens between its pages, a list is the state of its first', async () => {
  const write = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    namespace: fc.constantFrom('away', 'home'),
    value: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
    on: fc.boolean(),
  })
  const batches = fc.array(fc.array(write, { maxLength: 4 }), { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('', 'home'),
      fc.constantFrom('', '&labelSelector=on', '&fieldSelector=metadata.name=b', '&fieldSelector=metadata.name!=b'),
      async (writes, limit, namespace, selector) => {
        const ends: (() => void | Promise<void>)[] = []
        const { put, ask, store } = scene({ after: (end) => void ends.push(end) })
        const writeAll = async (batch: (typeof writes)[number] = []) => {
          for (const { name, namespace: home, value, on } of batch)
            if (value !== undefined || store.get('configmaps', home, name))
              await put(name, value, { namespace: home, ...(on && { labels: { on: '' } }) })
        }
        const [before, ...between] = writes
        await writeAll(before)
        const whole = await ask(selector.slice(1), namespace)
        const seen: unknown[] = []
        let token: string | undefined
        do {
          const page = await ask(`limit=${limit}${selector}${token ? `&continue=${token}` : ''}`, namespace)
          assert.ok(page.entries.length <= limit || selector.includes('name=b'))
          assert.equal(page.revision, whole.revision)
          seen.push(...page.entries)
          token = page.continueToken
          await writeAll(between.shift())
        } while (token)
        assert.deepEqual(seen, whole.entries)
        for (const end of ends) await end()
      },
    ),
    { numRuns: 50 },
  )
})

test('a token of a snapshot that is forgotten is refused with one that goes on from now', async (t) => {
  const { put, ask } = scene(t, { historyLimit: 3 })
  for (const name of ['a', 'b', 'c', 'd']) await put(name, '1')
  const { continueToken } = await ask('limit=2')
  await put('c', '2')
  assert.equal(told(await ask(`continue=${continueToken}`)), 'c1 d1')
  for (const value of ['3', '4', '5']) await put('d', value)
  await put('a', '2')
  const { code, reason, message, metadata } = await failure(ask(`continue=${continueToken}`))
  assert.deepEqual([code, reason], [410, 'Expired'])
  assert.match(message, /^The provided continue parameter is too old to display a consistent list result\./)
  const rest = await ask(`limit=1&continue=${metadata.continue}`)
  assert.deepEqual([told(rest), rest.remaining, rest.revision], ['c2', 1, 9])
  assert.equal(told(await ask(`continue=${rest.continueToken}`)), 'd5')
})

test('pages of a selected list hold as many as asked for, and say nothing of how many remain', async (t) => {
  const { put, ask } = scene(t)
  const on = { labels: { on: 'yes' } }
  await put('a', '1', on)
  await put('b', '1')
  await put('c', '1', on)
  await put('d', '1', on)
  await put('e', '1')
  const first = await ask('limit=2&labelSelector=on')
  assert.deepEqual([told(first), first.remaining], ['a1 c1', undefined])
  const second = await ask(`limit=1&labelSelector=on&continue=${first.continueToken}`)
  assert.equal(told(second), 'd1')
  const last = await ask(`limit=1&labelSelector=on&continue=${second.continueToken}`)
  assert.deepEqual([told(last), last.continueToken], ['', undefined])
})

test('a limit of nothing, or less, is none', async (t) => {
  const { put, ask } = scene(t)
  await put('a', '1')
  await put('b', '1')
  for (const query of ['limit=0', 'limit=-1', 'limit=2', 'limit=9']) {
    const { continueToken, remaining, ...rest } = await ask(query)
    assert.deepEqual([told(rest), continueToken, remaining], ['a1 b1', undefined, undefined], query)
  }
})

test('a name is looked up where it can be, and searched for in all namespaces', async (t) => {
  const { put, ask } = scene(t)
  await put('a', '1')
  await put('a', '2', { namespace: 'away' })
  await put('b', '1')
  const byName = 'fieldSelector=metadata.name=a'
  assert.equal(told(await ask(byName)), 'a1')
  assert.equal(told(await ask(byName, '')), 'a2 a1')
  assert.equal(told(await ask(`${byName}&labelSelector=none`)), '')
  assert.equal(told(await ask(`${byName},metadata.namespace=away`)), '')
  assert.equal(told(await ask('fieldSelector=metadata.name=')), '')
  const nodes = served(aKind('', 'Node', 'nodes', { namespaced: false }))
  assert.equal(told(await ask(byName, '', nodes)), '')
})

test('at one version exactly, or not older than one', async (t) => {
  const { put, ask } = scene(t, { historyLimit: 3 })
  for (const value of ['1', '2', '3', '4', '5']) await put('a', value)
  assert.equal(told(await ask('resourceVersion=3&resourceVersionMatch=Exact')), 'a3')
  assert.equal(told(await ask('resourceVersion=3&resourceVersionMatch=Exact&fieldSelector=metadata.name=a')), 'a3')
  assert.equal(told(await ask('resourceVersion=3&resourceVersionMatch=NotOlderThan')), 'a5')
  assert.equal(told(await ask('resourceVersion=3')), 'a5')
  assert.equal(told(await ask('resourceVersion=0&limit=1')), 'a5')
  const page = await ask('resourceVersion=3&limit=1')
  assert.deepEqual([told(page), page.revision], ['a3', 3], 'with a limit, a version is meant exactly')
  const { code, message } = await failure(ask('resourceVersion=1&resourceVersionMatch=Exact'))
  assert.deepEqual([code, message], [410, 'The resourceVersion for the provided list is too old.'])
})

test('a version and a token exclude each other', async (t) => {
  const { put, ask } = scene(t)
  await put('a', '1')
  await put('b', '1')
  const { continueToken } = await ask('limit=1')
  const refused = await failure(ask(`resourceVersion=1&continue=${continueToken}`))
  assert.deepEqual(
    [refused.code, refused.message],
    [400, 'specifying resource version is not allowed when using continue'],
  )
  assert.equal(told(await ask(`resourceVersion=0&continue=${continueToken}`)), 'b1')
})

test('a version that is yet to come is waited for, but not for long', async (t) => {
  const { put, ask, clock, store } = scene(t)
  await put('a', '1')
  const early = ask('resourceVersion=2&resourceVersionMatch=Exact')
  await put('a', '2')
  assert.equal(told(await early), 'a2')
  assert.equal(clock.nextDue, undefined)
  const never = failure(ask('resourceVersion=9'))
  const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":9,"start":"home/a\\u0000"}').toString('base64url')
  const neverEither = failure(ask(`continue=${token}`))
  await clock.advance('3s')
  const { code, reason, message, details } = await never
  assert.deepEqual([code, reason, message], [504, 'Timeout', 'Timeout: Too large resource version: 9, current: 2'])
  assert.deepEqual([details?.retryAfterSeconds, details?.causes?.[0]?.reason], [1, 'ResourceVersionTooLarge'])
  assert.equal((await neverEither).code, 504)
  await untilRevision({ store, clock }, 2, {})
  assert.equal(clock.nextDue, undefined)
})
