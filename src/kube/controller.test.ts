import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { anInformedScene } from '../../test/support/informed-scene.ts'
import { kubeFailure } from '../../test/support/memory-kube.ts'
import { sleep } from '../core/clock.ts'
import { catalogue, isFailure } from '../core/failure.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import { createMetrics } from '../core/metrics.ts'
import type { Outcome } from '../core/outcome.ts'
import { done, requeueAfter, terminal } from '../core/outcome.ts'
import { randomFrom } from '../core/random.ts'
import type { ControllerOptions, Reconcile } from './controller.ts'
import { controller } from './controller.ts'
import { watching } from './watching.ts'

const failures = catalogue({ THING_UNKNOWN: [404, 'there is no thing'], THING_BROKEN: [500, 'the thing is broken'] })

interface Line {
  level: string
  message: string
  fields: Record<string, unknown>
}

function aLog() {
  const lines: Line[] = []
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    lines.push({ level, message, fields })
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return { lines, log: { ...log, child: () => log } as unknown as Log }
}

function aController(
  t: TestContext,
  reconcile: Reconcile,
  options: Partial<ControllerOptions> & { clock?: FakeClock } = {},
) {
  const clock = options.clock ?? new FakeClock()
  const { lines, log } = aLog()
  const controlled = controller('things', reconcile, { random: randomFrom(() => 0), log, ...options, clock })
  const stop = new AbortController()
  const start = () => controlled.run(stop.signal)
  t.after(() => stop.abort())
  return { clock, lines, controlled, stop, start }
}

/** A reconcile that answers in turn, then `done`, and remembers when it was called. */
function answering(clock: FakeClock, ...answers: (Outcome | Error)[]) {
  const startedAt = clock.now().getTime()
  const calls: [key: string, afterMs: number][] = []
  const reconcile: Reconcile = async (key) => {
    calls.push([key, clock.now().getTime() - startedAt])
    const answer = answers.shift() ?? done
    if (answer instanceof Error) throw answer
    return answer
  }
  return { calls, reconcile }
}

test('a key that is asked for is reconciled', async (t) => {
  const clock = new FakeClock()
  const { calls, reconcile } = answering(clock)
  const { controlled, start } = aController(t, reconcile, { clock })
  void start()
  controlled.enqueue('a')
  controlled.enqueue('b')
  await clock.settle()
  assert.deepEqual(calls, [
    ['a', 0],
    ['b', 0],
  ])
  assert.equal(clock.nextDue, undefined)
})

test('what is asked for before it runs is kept', async (t) => {
  const clock = new FakeClock()
  const { calls, reconcile } = answering(clock)
  const { controlled, start } = aController(t, reconcile, { clock })
  controlled.enqueue('a')
  void start()
  await clock.settle()
  assert.deepEqual(calls, [['a', 0]])
})

test('requeueAfter runs again at exactly that moment', async (t) => {
  const clock = new FakeClock()
  const { calls, reconcile } = answering(clock, requeueAfter(90_000))
  const { controlled, start } = aController(t, reconcile, { clock })
  void start()
  controlled.enqueue('a')
  await clock.advance('1h')
  assert.deepEqual(calls, [
    ['a', 0],
    ['a', 90_000],
  ])
})

test('what throws is tried again with growing waits, logged once each time, and starts over after a success', async (t) => {
  const clock = new FakeClock()
  const broken = new Error('broken')
  const { calls, reconcile } = answering(clock, broken, broken, broken, done, broken)
  const { controlled, lines, start } = aController(t, reconcile, { clock })
  void start()
  controlled.enqueue('a')
  await clock.advance('10s')
  assert.deepEqual(
    calls.map(([, afterMs]) => afterMs),
    [0, 100, 300, 700],
  )
  controlled.enqueue('a')
  await clock.advance('10s')
  assert.deepEqual(lines, [
    ...[
      { attempt: 1, nextTryMs: 100 },
      { attempt: 2, nextTryMs: 200 },
      { attempt: 3, nextTryMs: 400 },
      { attempt: 1, nextTryMs: 100 },
    ].map((fields) => ({
      level: 'warn',
      message: 'reconcile failed',
      fields: { controller: 'things', key: 'a', ...fields, err: broken },
    })),
  ])
})

test('a conflict is tried again and is no error', async (t) => {
  const clock = new FakeClock()
  const metrics = await createMetrics()
  const { calls, reconcile } = answering(clock, kubeFailure(409, 'Conflict'))
  const { controlled, lines, start } = aController(t, reconcile, { clock, metrics })
  void start()
  controlled.enqueue('a')
  await clock.advance('1s')
  assert.equal(calls.length, 2)
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message]),
    [['debug', 'reconcile met a newer version']],
  )
  assert.match(await metrics.text(), /reconciles_total\{controller="things",outcome="error"\} 0/)
})

test('a terminal outcome is not tried again, and is logged and reported once while it lasts', async (t) => {
  const clock = new FakeClock()
  const { THING_UNKNOWN, THING_BROKEN } = failures
  const unknown = () => terminal(THING_UNKNOWN())
  const reported: string[] = []
  const onTerminal = (key: string, { code }: { code: string }) => {
    reported.push(`${key} ${code}`)
    throw new Error('the report fails')
  }
  const { calls, reconcile } = answering(clock, unknown(), unknown(), terminal(THING_BROKEN()), done, unknown())
  const { controlled, lines, start } = aController(t, reconcile, { clock, onTerminal })
  void start()
  for (let round = 1; round <= 5; round++) {
    controlled.enqueue('a')
    await clock.advance('1h')
    assert.equal(calls.length, round)
  }
  assert.deepEqual(reported, ['a THING_UNKNOWN', 'a THING_BROKEN', 'a THING_UNKNOWN'])
  assert.equal(lines.filter(({ message }) => message === 'reconcile cannot succeed').length, 3)
})

for (const [what, outcome] of [
  ['a wait that is no number', requeueAfter(Number.NaN)],
  ['no outcome', undefined as unknown as Outcome],
] as const)
  test(`${what} is a failure, not a busy loop or a success`, async (t) => {
    const clock = new FakeClock()
    const { calls, reconcile } = answering(clock)
    const answers = [outcome]
    const { controlled, lines, start } = aController(
      t,
      async (key, context) => {
        const result = await reconcile(key, context)
        return answers.length > 0 ? (answers.pop() as Outcome) : result
      },
      { clock },
    )
    void start()
    controlled.enqueue('a')
    await clock.advance('1s')
    assert.equal(calls.length, 2)
    assert.ok(isFailure(lines[0]?.fields['err'], 'RECONCILE_BAD_OUTCOME'))
  })

test('an object that is returned by mistake is not told', async (t) => {
  const secret = { kind: 'Secret', data: { password: 'canary' } }
  const { clock, controlled, lines, start } = aController(t, async () => secret as unknown as Outcome)
  void start()
  controlled.enqueue('a')
  await clock.settle()
  const { err } = lines[0]?.fields ?? {}
  assert.ok(isFailure(err, 'RECONCILE_BAD_OUTCOME'))
  assert.doesNotMatch(`${err.message} ${JSON.stringify(err.params)}`, /canary/)
})

test('no more than `workers` keys at a time, and one key never twice at a time', async (t) => {
  const clock = new FakeClock()
  const running: string[] = []
  let most = 0
  const { controlled, lines, start } = aController(
    t,
    async (key) => {
      assert.ok(!running.includes(key))
      running.push(key)
      most = Math.max(most, running.length)
      await sleep(clock, 1_000)
      running.splice(running.indexOf(key), 1)
      return done
    },
    { clock, workers: 3 },
  )
  void start()
  for (const key of ['a', 'b', 'c', 'd', 'e']) controlled.enqueue(key)
  await clock.advance('500ms')
  for (const key of ['a', 'b', 'c', 'd', 'e']) controlled.enqueue(key)
  await clock.advance('10s')
  assert.equal(most, 3)
  assert.deepEqual(lines, [])
  assert.equal(running.length, 0)
})

test('a reconcile is told when its deadline has passed', async (t) => {
  const clock = new FakeClock()
  const { controlled, lines, start } = aController(
    t,
    async (_key, { signal }) => {
      await sleep(clock, 3_600_000, signal)
      return done
    },
    { clock, deadlineMs: 10_000 },
  )
  void start()
  controlled.enqueue('a')
  await clock.advance('10s')
  assert.ok(isFailure(lines[0]?.fields['err'], 'RECONCILE_DEADLINE'))
})

test('one that ignores its deadline blocks no other key, and its own key waits for it', async (t) => {
  const clock = new FakeClock()
  const calls: string[] = []
  const stuck = Promise.withResolvers<Outcome>()
  const { controlled, lines, start } = aController(
    t,
    async (key) => {
      calls.push(key)
      return key === 'stuck' && calls.length === 1 ? stuck.promise : done
    },
    { clock, workers: 1, deadlineMs: 10_000 },
  )
  void start()
  for (const key of ['stuck', 'stuck', 'other']) controlled.enqueue(key)
  await clock.settle()
  controlled.enqueue('stuck')
  await clock.advance('14s')
  assert.deepEqual(calls, ['stuck'])
  await clock.advance('1s')
  assert.deepEqual(calls, ['stuck', 'other'])
  assert.equal(lines.at(-1)?.message, 'reconcile ignores its deadline')
  stuck.resolve(done)
  await clock.settle()
  assert.deepEqual(calls, ['stuck', 'other', 'stuck'])
})

test('a stop tells the reconciles that run, waits for them, drops what waits and leaves no timer', async (t) => {
  const clock = new FakeClock()
  const ended: string[] = []
  const { controlled, lines, stop, start } = aController(
    t,
    async (key, { signal }) => {
      await aborted(signal)
      await sleep(clock, 2_000)
      ended.push(key)
      throw signal.reason
    },
    { clock, workers: 2 },
  )
  const running = start()
  for (const key of ['a', 'b', 'c']) controlled.enqueue(key)
  await clock.settle()
  let isStopped = false
  void running.then(() => {
    isStopped = true
  })
  stop.abort()
  await clock.advance('1999ms')
  assert.equal(isStopped, false)
  await clock.advance('1ms')
  await running
  assert.deepEqual(ended, ['a', 'b'])
  assert.deepEqual(lines, [])
  assert.equal(clock.nextDue, undefined)
})

test('it runs once at a time', async (t) => {
  const { start } = aController(t, async () => done)
  void start()
  await assert.rejects(start(), /controller things already runs/)
})

test('all series exist at 0 before the first reconcile, then they count', async (t) => {
  const clock = new FakeClock()
  const metrics = await createMetrics()
  const counted = async () =>
    (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('lanyard_kube_reconciles_total'))
      .map((line) => line.replace(/.*outcome="(\w+)"\} /, '$1 '))
  const { reconcile } = answering(
    clock,
    requeueAfter(1_000),
    new Error('broken'),
    done,
    terminal(failures.THING_UNKNOWN()),
  )
  const { controlled, start } = aController(t, reconcile, { clock, metrics })
  assert.deepEqual(await counted(), ['done 0', 'requeueAfter 0', 'terminal 0', 'conflict 0', 'error 0'])
  void start()
  controlled.enqueue('a')
  await clock.advance('10s')
  controlled.enqueue('a')
  await clock.advance('10s')
  assert.deepEqual(await counted(), ['done 1', 'requeueAfter 1', 'terminal 1', 'conflict 0', 'error 1'])
  assert.match(await metrics.text(), /lanyard_kube_reconcile_seconds_count\{controller="things"\} 4/)
  assert.match(await metrics.text(), /lanyard_kube_queue_items\{controller="things"\} 0/)
})

test('two controllers of one name are told as their sum', async (t) => {
  const [clock, metrics] = [new FakeClock(), await createMetrics()]
  const busy = aController(t, () => new Promise(() => {}), { clock, metrics, workers: 1 })
  const idle = aController(t, async () => done, { clock, metrics })
  void busy.start()
  void idle.start()
  for (const key of ['a', 'b', 'c']) busy.controlled.enqueue(key)
  await clock.settle()
  assert.match(await metrics.text(), /lanyard_kube_queue_items\{controller="things"\} 2/)
  assert.match(await metrics.text(), /lanyard_kube_running_items\{controller="things"\} 1/)
})

test('nothing is reconciled before every informer is synced; then everything there is', async (t) => {
  const scene = await anInformedScene(t, { seed: 2, isStopped: true })
  const { calls, reconcile } = answering(scene.clock)
  const watches = [watching(scene.informed)]
  const { start } = aController(t, reconcile, { clock: scene.clock, watches })
  void start()
  await scene.clock.settle()
  assert.deepEqual(calls, [])
  void scene.start()
  await scene.clock.settle()
  assert.deepEqual(calls, [
    ['west/seed-0', 0],
    ['west/seed-1', 0],
  ])
})

test('a change brings the keys of what the object is now and of what it was', async (t) => {
  const scene = await anInformedScene(t)
  const { calls, reconcile } = answering(scene.clock)
  const watches = [
    watching(scene.informed, ({ data = {} }) => data['value'] ?? [], { when: ({ type }) => type !== 'deleted' }),
  ]
  const { start } = aController(t, reconcile, { clock: scene.clock, watches })
  void start()
  await scene.put('a', 'red')
  await scene.clock.settle()
  await scene.put('a', 'blue')
  await scene.clock.settle()
  await scene.west.delete('a')
  await scene.clock.settle()
  assert.deepEqual(
    calls.map(([key]) => key),
    ['red', 'red', 'blue'],
  )
})

test('a second run begins with everything again, as after an election that was lost and won', async (t) => {
  const scene = await anInformedScene(t, { seed: 1 })
  const { calls, reconcile } = answering(scene.clock, requeueAfter(3_600_000))
  const { controlled, start, stop } = aController(t, reconcile, {
    clock: scene.clock,
    watches: [watching(scene.informed)],
  })
  const first = start()
  await scene.clock.advance('1s')
  stop.abort()
  await first
  await scene.put('new', '1')
  await scene.clock.advance('1s')
  assert.equal(calls.length, 1)
  const again = new AbortController()
  const second = controlled.run(again.signal)
  await scene.clock.settle()
  assert.deepEqual(
    calls.map(([key]) => key),
    ['west/seed-0', 'west/seed-0', 'west/new'],
  )
  again.abort()
  await second
})

test('a stop while it waits for the sync ends it', async (t) => {
  const scene = await anInformedScene(t, { isStopped: true })
  const { start, stop } = aController(t, async () => done, { clock: scene.clock, watches: [watching(scene.informed)] })
  const running = start()
  await scene.clock.settle()
  stop.abort()
  await running
  assert.equal(scene.clock.nextDue, undefined)
})
