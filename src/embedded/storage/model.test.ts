import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { compareBytes } from './order.ts'
import type { Change, Entry, Query, Store } from './store.ts'
import { StaleWrite } from './store.ts'
import { aWrite, openIn, storedValue } from './testing/stores.ts'

interface Attempt {
  storage: string
  namespace: string
  name: string
  value: string | undefined
  isStale: boolean
}

type Step = { batch: Attempt[] } | 'reopen' | 'forget'

const attempt: fc.Arbitrary<Attempt> = fc.record({
  storage: fc.constantFrom('configmaps', 'leases'),
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.constantFrom('x', 'x-1', 'y', 'ä', '\u{1f600}'),
  value: fc.option(fc.string({ maxLength: 5 }), { nil: undefined }),
  isStale: fc.nat(5).map((dice) => dice === 0),
})
const batch = fc.array(attempt, { minLength: 1, maxLength: 6 }).map((writes) => ({ batch: writes }))
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: batch },
    { weight: 2, arbitrary: fc.constant('reopen' as const) },
    { weight: 1, arbitrary: fc.constant('forget' as const) },
  ),
  { maxLength: 25 },
)

const keyOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`
const historyLimit = 12

/** The same in the plainest way: every state that ever was, as a whole. */
class Model {
  states: Map<string, string>[] = [new Map()]
  log: string[] = ['']
  oldest = 0

  get revision(): number {
    return this.states.length - 1
  }

  current(at: Attempt): number {
    const [revision = '0'] = (this.states.at(-1)?.get(`${at.storage} ${keyOf(at)}`) ?? '0').split(' ')
    return Number(revision)
  }

  write(at: Attempt): void {
    const next = new Map(this.states.at(-1))
    const key = `${at.storage} ${keyOf(at)}`
    const isThere = next.has(key)
    const revision = this.states.length
    if (at.value === undefined) next.delete(key)
    else next.set(key, `${revision} ${at.value}`)
    this.log.push(`${at.value === undefined ? 'DELETED' : isThere ? 'MODIFIED' : 'ADDED'} ${key}`)
    this.states.push(next)
    this.oldest = Math.max(this.oldest, revision - historyLimit)
  }

  list(storage: string, at: number): string[] {
    const keys = [...(this.states[at]?.keys() ?? [])].filter((key) => key.startsWith(`${storage} `)).sort(compareBytes)
    return keys.map((key) => `${key} ${this.states[at]?.get(key)}`)
  }
}

const told = (entries: readonly Entry[]) =>
  entries.map((entry) => `${entry.storage} ${keyOf(entry)} ${entry.revision} ${storedValue(entry)}`)
const toldChange = ({ type, entry }: Change) => `${type} ${entry.storage} ${keyOf(entry)}`

/** All pages of a list. */
function paged(store: Store, storage: string, query: Query, limit: number): string[] {
  const found: Entry[] = []
  for (let after = query.after; ; ) {
    const page = store.list(storage, { ...query, limit, ...(after !== undefined && { after }) })
    found.push(...page.entries)
    const last = page.entries.at(-1)
    if (page.remaining === 0 || !last) return told(found)
    after = keyOf(last)
  }
}

function assertSame(store: Store, model: Model): void {
  assert.deepEqual([store.revision, store.oldestRevision], [model.revision, model.oldest])
  for (const storage of ['configmaps', 'leases']) {
    assert.equal(store.count(storage), model.list(storage, model.revision).length)
    for (let at = model.oldest; at <= model.revision; at++) {
      const expected = model.list(storage, at)
      assert.deepEqual(told(store.list(storage, { at }).entries), expected)
      assert.deepEqual(paged(store, storage, { at }, 2), expected)
      assert.deepEqual(
        told(store.list(storage, { at, namespace: 'a' }).entries),
        expected.filter((line) => line.startsWith(`${storage} a/`)),
      )
      const changes = store.changesSince(at, storage)?.map(toldChange)
      assert.deepEqual(
        changes,
        model.log.slice(at + 1).filter((line) => line.includes(` ${storage} `)),
      )
    }
  }
  assert.deepEqual(store.changesSince(model.oldest)?.map(toldChange), model.log.slice(model.oldest + 1))
  if (model.oldest > 0) assert.equal(store.changesSince(model.oldest - 1), undefined)
}

/** What a writer would do who knows what the writes before it in the same batch will make. */
async function writeBatch(store: Store, model: Model, attempts: Attempt[]): Promise<void> {
  const outcomes = attempts.map((at) => {
    const follows = model.current(at)
    const isRefused = at.isStale || (follows === 0 && at.value === undefined)
    if (!isRefused) model.write(at)
    const written = store.write(aWrite(at.name, at.value, at.isStale ? follows + 1_000 : follows, at))
    return isRefused
      ? assert.rejects(written, (error) => error instanceof StaleWrite && (error.current?.revision ?? 0) === follows)
      : written
  })
  await Promise.all(outcomes)
}

test('any sequence of writes, restarts and forgetting reads as in a plain model, now and at every kept revision', async (t) => {
  const root = tempDir(t)
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const dir = mkdtempSync(join(root, 'run-'))
      const model = new Model()
      let store = openIn(dir, { historyLimit })
      for (const step of sequence) {
        if (step === 'reopen') {
          await store.close()
          store = openIn(dir, { historyLimit })
        } else if (step === 'forget') {
          await store.forgetHistory()
          model.oldest = model.revision
        } else await writeBatch(store, model, step.batch)
        assertSame(store, model)
      }
      await store.close()
    }),
    { numRuns: 25 },
  )
})
