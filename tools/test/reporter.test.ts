import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { FileRun, Tally } from './reporter.ts'
import { follow } from './reporter.ts'

const details = (more: object = {}) => ({ type: 'test', duration_ms: 1_500, ...more })
const ofTests = Object.assign(new Error('1 subtest failed'), { failureType: 'subtestsFailed' })

const totalOf = (runs: readonly FileRun[]): Tally => ({
  passed: runs.reduce((sum, { tally }) => sum + tally.passed, 0),
  failed: runs.reduce((sum, { tally }) => sum + tally.failed, 0),
  skipped: runs.reduce((sum, { tally }) => sum + tally.skipped, 0),
})

/** What is made of these events, given as name of event, nesting, name and details; of the batch `1.mjs` unless they say. */
async function seen(
  batches: Readonly<Record<string, readonly string[]>>,
  events: readonly (readonly [string, number, string, object?])[],
  lastFile?: string,
) {
  const stream = new PassThrough({ objectMode: true })
  const lines: string[] = []
  const followed = follow(
    stream,
    new Map(Object.entries(batches)),
    (line) => void lines.push(line),
    () => lastFile,
  )
  for (const [event, nesting, name, more] of events)
    stream.emit(event, { name, nesting, entryFile: '1.mjs', details: details(), ...more })
  stream.resume().end()
  const { runs, ...rest } = await followed
  return { runs, ...rest, tally: totalOf(runs), lines }
}

const file = { details: details({ type: 'suite' }) }
/** Of the program of a batch, which is in none. */
const ofProgram = (error?: Error & { exitCode?: number | null; signal?: string | null }) => ({
  entryFile: undefined,
  details: details({ error }),
})
const died = (how: { exitCode: number | null; signal: string | null }) => Object.assign(new Error('test failed'), how)

test('a file that ended has a line with what passed in it', async () => {
  const { tally, lines } = await seen({ '1.mjs': ['a.test.ts', 'b.test.ts'] }, [
    ['test:pass', 1, 'one'],
    ['test:pass', 1, 'two'],
    ['test:pass', 0, 'a.test.ts', file],
    ['test:pass', 1, 'three', { skip: 'no Go' }],
    ['test:pass', 0, 'b.test.ts', file],
  ])
  assert.deepEqual(tally, { passed: 2, failed: 0, skipped: 1 })
  assert.deepEqual(lines, ['✔ a.test.ts  2 in 1.5 s', '  skipped: three: no Go', '✔ b.test.ts  0 in 1.5 s, 1 skipped'])
})

test('a test that failed counts once, not with every suite around it', async () => {
  const failed = { details: details({ error: new Error('no') }) }
  const around = { details: details({ type: 'suite', error: ofTests }) }
  const { tally, runs, lines } = await seen({ '1.mjs': ['a.test.ts'] }, [
    ['test:fail', 2, 'one', failed],
    ['test:fail', 1, 'suite', around],
    ['test:fail', 0, 'a.test.ts', around],
  ])
  assert.deepEqual(tally, { passed: 0, failed: 1, skipped: 0 })
  assert.deepEqual(
    runs.map(({ failures }) => failures.map(({ name }) => name)),
    [['one (?)']],
  )
  assert.match(lines.join('\n'), /^\n✖ one[\s\S]*Error: no[\s\S]*\n✖ a\.test\.ts {2}0 in 1\.5 s, 1 failed$/)
})

test('a suite whose own teardown failed, or a file that cannot be loaded, counts', async () => {
  const failed = { details: details({ type: 'suite', error: new Error('no such module') }) }
  const { tally, lines } = await seen({ '1.mjs': ['a.test.ts'] }, [['test:fail', 0, 'a.test.ts', failed]])
  assert.equal(tally.failed, 1)
  assert.match(lines.join('\n'), /no such module/)
})

test('a file without a test counts as failed', async () => {
  const { tally, lines } = await seen({ '1.mjs': ['a.test.ts'] }, [['test:pass', 0, 'a.test.ts', file]])
  assert.deepEqual([tally.passed, tally.failed], [0, 1])
  assert.match(lines.join('\n'), /it has no test\n✖ a\.test\.ts {2}0 in 1\.5 s, 1 failed$/)
})

test('events of batches that run at once are of the files of each', async () => {
  const second = { entryFile: '2.mjs' }
  const { runs } = await seen({ '1.mjs': ['a.test.ts'], '2.mjs': ['b.test.ts'] }, [
    ['test:pass', 1, 'one'],
    ['test:pass', 1, 'two', second],
    ['test:pass', 1, 'three', second],
    ['test:pass', 0, 'a.test.ts', file],
    ['test:pass', 0, 'b.test.ts', { ...file, ...second }],
  ])
  assert.deepEqual(
    runs.map(({ file, tally }) => [file, tally.passed]),
    [
      ['a.test.ts', 1],
      ['b.test.ts', 2],
    ],
  )
})

test('a process that died fails the file it was in, with its last words; those after it did not end', async () => {
  const { runs, notEnded, ofNoFile, lines } = await seen({ '1.mjs': ['a.test.ts', 'b.test.ts', 'c.test.ts'] }, [
    ['test:pass', 1, 'one'],
    ['test:pass', 0, 'a.test.ts', file],
    ['test:pass', 1, 'two'],
    ['test:stderr', 0, '', { file: '1.mjs', message: 'out of memory\n' }],
    ['test:complete', 0, '1.mjs', ofProgram(died({ exitCode: null, signal: 'SIGKILL' }))],
  ])
  assert.deepEqual(
    runs.map(({ file, tally: { passed, failed } }) => [file, passed, failed]),
    [
      ['a.test.ts', 1, 0],
      ['b.test.ts', 1, 1],
    ],
  )
  assert.deepEqual([notEnded, ofNoFile], [['c.test.ts'], []])
  assert.match(lines.join('\n'), /✖ b\.test\.ts\n +its process ended with SIGKILL\n +out of memory/)
})

test('a process whose results are behind died where the record says, and no failure that is known is forgotten', async () => {
  const batch = { '1.mjs': ['a.test.ts', 'b.test.ts', 'c.test.ts'] }
  const death = ['test:complete', 0, '1.mjs', ofProgram(died({ exitCode: 7, signal: null }))] as const
  const late = await seen(batch, [['test:pass', 1, 'one'], death], 'b.test.ts')
  assert.deepEqual([late.tally, late.notEnded], [{ passed: 0, failed: 1, skipped: 0 }, ['a.test.ts', 'c.test.ts']])
  const one = ['test:fail', 1, 'one', { details: details({ error: new Error('no') }) }] as const
  const failed = await seen(batch, [one, death], 'b.test.ts')
  assert.deepEqual([failed.runs[0]?.file, failed.notEnded], ['a.test.ts', ['b.test.ts', 'c.test.ts']])
})

test('an error that comes after its test has ended fails the run, whatever else failed in its batch', async () => {
  const late = 'Error: Test "one" generated asynchronous activity after the test ended'
  const failed = { details: details({ error: new Error('no') }) }
  const { tally, ofNoFile } = await seen({ '1.mjs': ['a.test.ts'] }, [
    ['test:fail', 1, 'one', failed],
    ['test:fail', 0, 'a.test.ts', { details: details({ type: 'suite', error: ofTests }) }],
    ['test:diagnostic', 0, '', { message: late }],
    ['test:complete', 0, '1.mjs', ofProgram(died({ exitCode: 1, signal: null }))],
  ])
  assert.equal(tally.failed, 1)
  assert.deepEqual(
    ofNoFile.map(({ text }) => text),
    [late],
  )
})

test('a process that ends with an error although its files passed fails the run', async () => {
  const { tally, ofNoFile } = await seen({ '1.mjs': ['a.test.ts'] }, [
    ['test:pass', 1, 'one'],
    ['test:pass', 0, 'a.test.ts', file],
    ['test:complete', 0, '1.mjs', ofProgram(died({ exitCode: 7, signal: null }))],
  ])
  assert.deepEqual([tally.failed, ofNoFile.length], [0, 1])
})

test('a process that is killed after its last test fails the run, also where a test had failed', async () => {
  const events = [
    ['test:fail', 1, 'one', { details: details({ error: new Error('no') }) }],
    ['test:fail', 0, 'a.test.ts', { details: details({ type: 'suite', error: ofTests }) }],
  ] as const
  for (const [how, times] of [
    [{ exitCode: null, signal: 'SIGKILL' }, 1],
    [{ exitCode: 1, signal: null }, 0],
  ] as const) {
    const ended = ['test:complete', 0, '1.mjs', ofProgram(died(how))] as const
    assert.equal((await seen({ '1.mjs': ['a.test.ts'] }, [...events, ended])).ofNoFile.length, times)
  }
})
