import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TestScope } from '../../../test/support/test-scope.ts'
import type { Entry } from '../storage/store.ts'
import type { Asked } from './testing/scene.ts'
import { Reader, toldOf, watchScene } from './testing/scene.ts'

/** What happens, in turn. Writes of one batch are committed together; nothing is waited for in between. */
type Step =
  | { do: 'write'; batch: { name: string; namespace: string; value: string | undefined; label: string }[] }
  | { do: 'open'; asked: Asked; from: 'nothing' | 'now' | 'initial' | 'past'; room: number; moment: Moment }
  | { do: 'pause' | 'resume' | 'close'; which: number; room: number }
  | { do: 'tick' }
  | { do: 'settle' }

/** At once, or with the next commit: so many turns into it, or when it is there and watches have not been told. */
type Moment = 'at once' | number | 'before told'

const moment: fc.Arbitrary<Moment> = fc.oneof(fc.constantFrom('at once' as const, 'before told' as const), fc.nat(6))
const which = fc.nat(5)
const room = fc.constantFrom(1, 2, 3, 1_000)
const write = fc.record({
  name: fc.constantFrom('x', 'y', 'z'),
  namespace: fc.constantFrom('home', 'away'),
  value: fc.option(fc.stringMatching(/^[a-c]$/), { nil: undefined }),
  label: fc.constantFrom('yes', 'no'),
})
const asked: fc.Arbitrary<Asked> = fc.record({
  namespace: fc.constantFrom('', 'home'),
  labelSelector: fc.constantFrom('', '', 'on=yes'),
  fieldSelector: fc.constantFrom('', '', 'metadata.name=x', 'metadata.name!=x'),
  allowBookmarks: fc.boolean(),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('write' as const), batch: fc.array(write, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      asked,
      from: fc.constantFrom('nothing', 'now', 'initial', 'past'),
      room,
      moment,
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume', 'resume', 'close'), which, room }) },
  { weight: 2, arbitrary: fc.constant({ do: 'tick' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'settle' as const }) },
)

const keyOf = ({ namespace, name }: Entry) => `${namespace}/${name}`

interface Opened {
  reader: Reader
  resume(): void
  close(): void
  asked: Asked
  /** What its client knew when it opened it. */
  known: Map<string, string>
  openedAt: number
}

async function play(t: TestScope, steps: readonly Step[]): Promise<void> {
  const opened: Opened[] = []
  const toOpen: (Step & { do: 'open' })[] = []
  const openAt = (when: (at: Moment) => boolean) => {
    for (const one of toOpen.splice(0)) {
      if (when(one.moment)) open(one)
      else toOpen.push(one)
    }
  }
  const { store, put, watch, clock } = watchScene(t, {
    beforeTold: () => openAt((at) => at === 'before told'),
    async sync() {
      turn(0)
    },
  })
  const turn = (count: number): void => {
    openAt((at) => at === count)
    if (count < 7) queueMicrotask(() => turn(count + 1))
  }

  /** What a client with this question sees in the store. */
  const visible = ({ namespace = '', labelSelector, fieldSelector }: Asked, at = store.revision) => {
    const { entries } = store.list('configmaps', { at, ...(namespace && { namespace }) })
    const seen = entries.filter(({ name, text }) => {
      if (labelSelector && JSON.parse(text).metadata.labels?.on !== 'yes') return false
      return !fieldSelector || (name === 'x') === !fieldSelector.includes('!=')
    })
    return new Map(seen.map((entry) => [keyOf(entry), JSON.parse(entry.text).data.value as string]))
  }

  const writeAll = ({ batch }: Step & { do: 'write' }): Promise<unknown> => {
    const once = new Map(batch.map((one) => [`${one.namespace}/${one.name}`, one]))
    return Promise.all(
      [...once.values()]
        .filter(({ name, namespace, value }) => value !== undefined || store.get('configmaps', namespace, name))
        .map(({ name, namespace, value, label }) => put(name, value, { namespace, labels: { on: label } })),
    )
  }

  function open({ asked: question, from, room: until }: Step & { do: 'open' }): void {
    const past = Math.floor(store.revision / 2)
    const begins: Asked = {
      nothing: {},
      now: { sendInitialEvents: false, resourceVersion: 0 },
      initial: { sendInitialEvents: true, allowBookmarks: true },
      past: { resourceVersion: past },
    }[from]
    const reader = new Reader()
    reader.room = until
    const { watch: one, resume } = watch({ ...question, ...begins }, reader)
    const known =
      from === 'now'
        ? visible(question)
        : from === 'past' && past > 0
          ? visible(question, past)
          : new Map<string, string>()
    opened.push({
      reader,
      resume,
      close: () => one[Symbol.dispose](),
      asked: question,
      known,
      openedAt: store.revision,
    })
  }

  const pick = (index: number): Opened | undefined => opened[index % Math.max(1, opened.length)]

  const writes: Promise<unknown>[] = []
  for (const next of steps) {
    if (next.do === 'write') {
      // Writes follow what is there, so those before must be through; watches are told in the meantime.
      await Promise.all(writes)
      writes.push(writeAll(next))
    } else if (next.do === 'open' && next.moment === 'at once') open(next)
    else if (next.do === 'open') toOpen.push(next)
    else if (next.do === 'pause' && pick(next.which)) (pick(next.which) as Opened).reader.isPaused = true
    else if (next.do === 'resume') {
      const one = pick(next.which)
      if (one) one.reader.room = next.room
      one?.resume()
    } else if (next.do === 'close') pick(next.which)?.close()
    else if (next.do === 'tick') await clock.advance('61s')
    else if (next.do === 'settle') await Promise.all(writes)
  }
  await Promise.all(writes)
  for (const { reader, resume } of opened) {
    reader.room = Number.POSITIVE_INFINITY
    resume()
  }
  await clock.settle(2)
  for (const one of opened) checkFrames(one, visible(one.asked))
}

/** Frames make sense one after the other, and lead from what was known to what is. */
function checkFrames({ reader, known, asked: question, openedAt }: Opened, expected: Map<string, string>): void {
  const state = new Map(known)
  let last = 0
  for (const frame of reader.frames) {
    const told = `${toldOf(frame)} in ${reader.told.join(', ')}`
    assert.notEqual(frame.type, 'ERROR', told)
    if (frame.type === 'ERROR') return
    const isInitial = frame.type === 'ADDED' && frame.revision <= openedAt
    if (!isInitial) {
      assert.ok(frame.revision >= last && (frame.type === 'BOOKMARK' || frame.revision > last || last === 0), told)
      last = frame.revision
    }
    if (frame.type === 'BOOKMARK') continue
    const key = keyOf(frame.entry)
    assert.equal(state.has(key), frame.type !== 'ADDED', told)
    if (frame.type === 'DELETED') state.delete(key)
    else state.set(key, JSON.parse(frame.entry.text).data.value)
  }
  if (!reader.isOver) assert.deepEqual(state, expected, `${JSON.stringify(question)}: ${reader.told.join(', ')}`)
}

test('whenever watches are opened, paused, resumed and closed, their frames lead to the state of the store', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const ends: (() => void | Promise<void>)[] = []
      try {
        await play({ after: (end) => void ends.push(end) }, steps)
      } finally {
        for (const end of ends) await end()
      }
    }),
    { numRuns: 100 },
  )
})
