import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { randomFrom } from '../core/random.ts'
import { WorkQueue } from './queue.ts'

const backoff = { baseMs: 100, maxMs: 5_000 }

function aQueue(fraction: () => number = () => 0) {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ clock, random: randomFrom(fraction), backoff }) }
}

/** What `take` gives without waiting, or undefined when it would wait. */
async function takeNow(queue: WorkQueue): Promise<string | undefined> {
  const stop = new AbortController()
  const taken = queue.take(stop.signal).catch(() => undefined)
  stop.abort()
  return taken
}

test('keys are taken in the order they were added, each once', async () => {
  const { queue } = aQueue()
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key)
  assert.equal(queue.depth, 3)
  assert.deepEqual([await queue.take(), await queue.take(), await queue.take()], ['a', 'b', 'c'])
  assert.equal(await takeNow(queue), undefined)
})

test('a waiting worker is given the next key that is added', async () => {
  const { queue } = aQueue()
  const [first, second] = [queue.take(), queue.take()]
  queue.add('a')
  queue.add('a')
  queue.add('b')
  assert.deepEqual([await first, await second], ['a', 'b'])
})

test('a key that is added while it runs is held back, then runs again once', async () => {
  const { queue } = aQueue()
  queue.add('a')
  await queue.take()
  queue.add('a')
  queue.add('a')
  assert.equal(await takeNow(queue), undefined)
  queue.done('a')
  assert.equal(await takeNow(queue), 'a')
  queue.done('a')
  assert.equal(await takeNow(queue), undefined)
})

test('a worker that stops waiting takes no key with it', async () => {
  const { queue } = aQueue()
  const stop = new AbortController()
  const abandoned = queue.take(stop.signal)
  stop.abort(new Error('stopped'))
  await assert.rejects(abandoned, /stopped/)
  await assert.rejects(queue.take(stop.signal), /stopped/)
  queue.add('a')
  assert.equal(await takeNow(queue), 'a')
})

test('of several later moments for one key the earliest is kept', async () => {
  const { clock, queue } = aQueue()
  queue.addAfter('a', 10_000)
  queue.addAfter('a', 3_000)
  queue.addAfter('a', 7_000)
  await clock.advance('2999ms')
  assert.equal(await takeNow(queue), undefined)
  await clock.advance('1ms')
  assert.equal(await takeNow(queue), 'a')
  queue.done('a')
  await clock.advance('1h')
  assert.equal(await takeNow(queue), undefined)
})

test('an immediate add runs at once and leaves the later moment in place', async () => {
  const { clock, queue } = aQueue()
  queue.addAfter('a', 10_000)
  queue.add('a')
  assert.equal(await takeNow(queue), 'a')
  queue.done('a')
  assert.equal(await takeNow(queue), undefined)
  await clock.advance('10s')
  assert.equal(await takeNow(queue), 'a')
})

test('a moment that is no number is refused instead of becoming a busy loop', () => {
  const { queue } = aQueue()
  assert.throws(() => queue.addAfter('a', Number.NaN), RangeError)
  assert.throws(() => queue.addAfter('a', Number.POSITIVE_INFINITY), RangeError)
})

test('back-off grows from failure to failure, is bounded, and starts over once forgotten', () => {
  const { queue } = aQueue()
  const waits = Array.from({ length: 8 }, () => queue.addRateLimited('a'))
  assert.deepEqual(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
  assert.equal(queue.attempts('a'), 8)
  assert.equal(queue.addRateLimited('b'), 100)
  queue.forget('a')
  assert.equal(queue.attempts('a'), 0)
  assert.equal(queue.addRateLimited('a'), 100)
})

test('success ends the back-off of a former failure, and nothing that was asked for otherwise', async () => {
  const { clock, queue } = aQueue()
  queue.addRateLimited('a')
  queue.addAfter('a', 5_000)
  queue.forget('a')
  await clock.advance('4999ms')
  assert.equal(await takeNow(queue), undefined)
  await clock.advance('1ms')
  assert.equal(await takeNow(queue), 'a')
  queue.addRateLimited('b')
  queue.add('b')
  queue.forget('b')
  assert.equal(await takeNow(queue), 'b')
})

test('a back-off that ends during a run is followed by another one only if that run does not succeed', async () => {
  const { clock, queue } = aQueue()
  for (const isSuccess of [true, false]) {
    queue.addRateLimited('a')
    queue.add('a')
    await queue.take()
    await clock.advance('10s')
    if (isSuccess) queue.forget('a')
    queue.done('a')
    assert.equal(await takeNow(queue), isSuccess ? undefined : 'a')
  }
})

test('a run that fails while an earlier back-off ends waits for its own', async () => {
  const { clock, queue } = aQueue()
  queue.addRateLimited('a')
  queue.add('a')
  await queue.take()
  await clock.advance('10s')
  const ms = queue.addRateLimited('a')
  queue.done('a')
  await clock.advance(ms - 1)
  assert.equal(await takeNow(queue), undefined)
  await clock.advance(1)
  assert.equal(await takeNow(queue), 'a')
})

test('a back-off is running time, a later moment is one of the wall clock', async () => {
  const { clock, queue } = aQueue()
  queue.addRateLimited('failed')
  queue.addAfter('expires', 3_600_000)
  await clock.advance('100ms')
  assert.equal(await takeNow(queue), 'failed')
  assert.equal(await takeNow(queue), undefined)
  await clock.jumpTo(new Date(clock.now().getTime() + 3_600_000))
  assert.equal(await takeNow(queue), 'expires')
})

test('a wall clock that is set back does not hold up who is to look again: it may look too early, once', async () => {
  const { clock, queue } = aQueue()
  queue.addAfter('looks again', 60_000)
  await clock.jumpTo(new Date(clock.now().getTime() - 3_600_000))
  await clock.advance('60s')
  assert.equal(await takeNow(queue), undefined)
  await clock.advance('1s')
  assert.equal(await takeNow(queue), 'looks again')
  queue.done('looks again')
  await clock.advance('2h')
  assert.equal(await takeNow(queue), undefined)
})

test('shutdown waits for what runs, drops what waits and lets every waiting worker go', async () => {
  const { clock, queue } = aQueue()
  queue.add('running')
  await queue.take()
  const waiting = queue.take()
  queue.addAfter('later', 1_000)
  let isDrained = false
  const drained = queue.shutdown().then(() => {
    isDrained = true
  })
  assert.equal(await waiting, undefined)
  assert.equal(clock.nextDue, undefined)
  queue.add('running')
  queue.add('new')
  await clock.settle()
  assert.equal(isDrained, false)
  queue.done('running')
  await drained
  assert.equal(await queue.take(), undefined)
  assert.equal(queue.depth, 0)
})

test('to give back a key that was not taken is an error', () => {
  const { queue } = aQueue()
  assert.throws(() => queue.done('a'), /without take/)
})

type Step =
  | { do: 'add' | 'rateLimited' | 'forget'; key: string }
  | { do: 'after'; key: string; ms: number }
  | { do: 'take' | 'abandon' }
  | { do: 'done'; pick: number }
  | { do: 'advance'; ms: number }

const aKey = fc.constantFrom('a', 'b', 'c', 'd')
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'rateLimited' as const, 'forget' as const), key: aKey }),
  fc.record({ do: fc.constant('after' as const), key: aKey, ms: fc.integer({ min: -5, max: 3_000 }) }),
  fc.record({ do: fc.constantFrom('take' as const, 'abandon' as const) }),
  fc.record({ do: fc.constant('done' as const), pick: fc.nat(9) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.nat(2_000) }),
)

/** What the queue promises, said as simply as possible. */
class Model {
  readonly wanted = new Set<string>()
  readonly later = new Map<string, number>()
  readonly retries = new Map<string, number>()
  readonly running: string[] = []
  readonly #clock: FakeClock

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  wantAfter(key: string, ms: number): void {
    this.passTime()
    const at = this.#clock.now().getTime() + ms
    if (ms <= 0) this.wanted.add(key)
    else this.later.set(key, Math.min(at, this.later.get(key) ?? at))
  }

  retryAfter(key: string, ms: number): void {
    this.passTime()
    const now = this.#clock.now().getTime()
    const pending = this.retries.get(key) ?? now
    this.retries.set(key, pending > now ? Math.min(pending, now + ms) : now + ms)
  }

  forget(key: string): void {
    this.passTime()
    this.retries.delete(key)
  }

  begin(key: string): void {
    this.passTime()
    assert.ok(!this.running.includes(key), `${key} is with two workers`)
    assert.ok(this.wanted.delete(key), `${key} runs though nobody asked`)
    this.running.push(key)
  }

  passTime(): void {
    for (const [key, at] of this.later) {
      if (at > this.#clock.now().getTime() || !this.later.delete(key)) continue
      this.wanted.add(key)
    }
    for (const [key, at] of this.retries) {
      if (at > this.#clock.now().getTime() || this.running.includes(key) || !this.retries.delete(key)) continue
      this.wanted.add(key)
    }
  }
}

async function follow(steps: Step[], fraction: () => number): Promise<void> {
  const { clock, queue } = aQueue(fraction)
  const model = new Model(clock)
  const waiting: AbortController[] = []
  const problems: unknown[] = []

  const take = () => {
    const stop = new AbortController()
    waiting.push(stop)
    const begin = (key: string | undefined) => key && model.begin(key)
    queue
      .take(stop.signal)
      .then(begin, () => {})
      .catch((problem) => problems.push(problem))
  }
  const act = async (step: Step) => {
    switch (step.do) {
      case 'add':
        queue.add(step.key)
        return model.wantAfter(step.key, 0)
      case 'after':
        queue.addAfter(step.key, step.ms)
        return model.wantAfter(step.key, step.ms)
      case 'rateLimited': {
        const attempt = queue.attempts(step.key)
        const ms = queue.addRateLimited(step.key)
        const full = Math.min(backoff.maxMs, backoff.baseMs * 2 ** attempt)
        assert.ok(ms <= full && ms >= Math.floor(full * 0.8), `wait ${attempt} is ${ms} ms`)
        return model.retryAfter(step.key, ms)
      }
      case 'forget':
        queue.forget(step.key)
        model.forget(step.key)
        return assert.equal(queue.attempts(step.key), 0)
      case 'take':
        return take()
      case 'abandon':
        return waiting.shift()?.abort()
      case 'done': {
        const [key] = model.running.splice(step.pick % Math.max(1, model.running.length), 1)
        return key && queue.done(key)
      }
      case 'advance':
        return clock.advance(step.ms)
    }
  }

  for (const step of steps) {
    await act(step)
    await clock.settle(1)
  }
  for (const stop of waiting) stop.abort()
  await clock.settle(1)

  for (let more = true; more; more = await clock.advanceToNext()) {
    model.passTime()
    for (const key of model.running.splice(0)) queue.done(key)
    for (let key = await takeNow(queue); key; key = await takeNow(queue)) {
      model.begin(key)
      queue.done(key)
      model.running.pop()
    }
    assert.deepEqual([...model.wanted], [], 'lost or late')
  }
  assert.deepEqual([...model.later, ...model.retries], [], 'lost')
  assert.deepEqual(problems, [])
}

test('whatever is added, taken and given back, in whatever order: one worker a key, nothing lost, nothing late', async () => {
  const steps = fc.array(aStep, { maxLength: 80, size: 'max' })
  const draws = fc.infiniteStream(fc.nat(999))
  await fc.assert(
    fc.asyncProperty(steps, draws, (given, drawn) => follow(given, () => drawn.next().value / 1_000)),
    { numRuns: 100 },
  )
})

test('a wait without end is one of ten years', async () => {
  const { clock, queue } = aQueue()
  queue.addAfter('a', Number.MAX_SAFE_INTEGER)
  await clock.advance('3649d')
  assert.equal(await takeNow(queue), undefined)
  await clock.advance('1d')
  assert.equal(await takeNow(queue), 'a')
})
