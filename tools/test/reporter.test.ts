import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { follow } from './reporter.ts'

const details = (more: object = {}) => ({ type: 'test', duration_ms: 1_500, ...more })
const ofTests = Object.assign(new Error('1 subtest failed'), { failureType: 'subtestsFailed' })

/** What is told of these events, given as name of event, nesting, name and details. */
async function told(files: readonly string[], events: readonly (readonly [string, number, string, object?])[]) {
  const stream = new PassThrough({ objectMode: true })
  const lines: string[] = []
  const followed = follow(stream, files, (line) => void lines.push(line))
  for (const [event, nesting, name, more] of events) stream.emit(event, { name, nesting, details: details(), ...more })
  stream.resume().end()
  return { ...(await followed), lines }
}

const file = { details: details({ type: 'suite' }) }

test('a file that ended has a line with what passed in it', async () => {
  const { tally, lines } = await told(
    ['a.test.ts', 'b.test.ts'],
    [
      ['test:pass', 1, 'one'],
      ['test:pass', 1, 'two'],
      ['test:pass', 0, 'a.test.ts', file],
      ['test:pass', 1, 'three', { skip: 'no Go' }],
      ['test:pass', 0, 'b.test.ts', file],
    ],
  )
  assert.deepEqual(tally, { passed: 2, failed: 0, skipped: 1 })
  assert.deepEqual(lines, ['✔ a.test.ts  2 in 1.5 s', '  skipped: three: no Go', '✔ b.test.ts  0 in 1.5 s, 1 skipped'])
})

test('a test that failed counts once, not with every suite around it', async () => {
  const failed = { details: details({ error: new Error('no') }) }
  const around = { details: details({ type: 'suite', error: ofTests }) }
  const { tally, lines } = await told(
    ['a.test.ts'],
    [
      ['test:fail', 2, 'one', failed],
      ['test:fail', 1, 'suite', around],
      ['test:fail', 0, 'a.test.ts', around],
    ],
  )
  assert.deepEqual(tally, { passed: 0, failed: 1, skipped: 0 })
  assert.match(lines.join('\n'), /^\n✖ one[\s\S]*Error: no[\s\S]*\n✖ a\.test\.ts {2}0 in 1\.5 s, 1 failed$/)
})

test('a suite whose own teardown failed, or a file that cannot be loaded, counts', async () => {
  const failed = { details: details({ type: 'suite', error: new Error('no such module') }) }
  const { tally, lines } = await told(['a.test.ts'], [['test:fail', 0, 'a.test.ts', failed]])
  assert.equal(tally.failed, 1)
  assert.match(lines.join('\n'), /no such module/)
})

test('a file without a test counts as failed', async () => {
  const { tally, lines } = await told(['a.test.ts'], [['test:pass', 0, 'a.test.ts', file]])
  assert.deepEqual([tally.passed, tally.failed], [0, 1])
  assert.match(lines.join(), /^✖ a\.test\.ts {2}0 in 1\.5 s, it has no test$/)
})

test('of a process that died its last words are shown, and what it had told counts for no other file', async () => {
  const error = Object.assign(new Error('test failed'), { exitCode: null, signal: 'SIGKILL' })
  const { tally, lines } = await told(
    ['a.test.ts', 'b.test.ts'],
    [
      ['test:stderr', 0, '', { file: '1.mjs', message: 'out of memory\n' }],
      ['test:pass', 1, 'one', { entryFile: '1.mjs' }],
      ['test:fail', 0, '1.mjs', { entryFile: '1.mjs', details: details({ error }) }],
      ['test:pass', 1, 'two', { entryFile: '2.mjs' }],
      ['test:pass', 0, 'b.test.ts', { ...file, entryFile: '2.mjs' }],
    ],
  )
  assert.deepEqual([tally.passed, tally.failed], [2, 2])
  assert.match(lines.join('\n'), /1\.mjs ended with SIGKILL\n +out of memory\n✔ b\.test\.ts {2}1 in [^✖]*✖ a\.test\.ts/)
})

test('a file whose process ended before it counts as a failure', async () => {
  const ended = [
    ['test:pass', 1, 'one'],
    ['test:pass', 0, 'a.test.ts', file],
  ] as const
  const { tally, lines } = await told(['a.test.ts', 'b.test.ts'], ended)
  assert.equal(tally.failed, 1)
  assert.match(lines.at(-1) as string, /b\.test\.ts {2}did not end/)
})
