import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { createLog, silentLog } from '../../core/log.ts'
import { LogFile, openLogFile } from './log-file.ts'

test('lines are in the file, in their order, when it is closed', async (t) => {
  const path = join(tempDir(t), 'audit.log')
  const file = await openLogFile(path, silentLog)
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`)
  for (const line of lines.slice(0, 300)) file.write(line)
  await new Promise(setImmediate)
  for (const line of lines.slice(300)) file.write(line)
  await file.close()
  assert.equal(readFileSync(path, 'utf8'), lines.join(''))
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a file that is there is gone on with, on a new line if the last one was torn', async (t) => {
  const path = join(tempDir(t), 'audit.log')
  for (const [before, expected] of [
    ['whole\n', 'whole\nnext\n'],
    ['to', 'to\nnext\n'],
  ] as const) {
    writeFileSync(path, before)
    const file = await openLogFile(path, silentLog)
    file.write('next\n')
    await file.close()
    assert.equal(readFileSync(path, 'utf8'), expected)
  }
})

test('a file that cannot be opened is a failure with its path', async (t) => {
  const path = join(tempDir(t), 'nowhere', 'audit.log')
  await assert.rejects(openLogFile(path, silentLog), (error) => isFailure(error, 'AUDIT_LOG_UNUSABLE'))
})

test('a disk that fails is told once, and again when it takes lines', async (t) => {
  const path = join(tempDir(t), 'audit.log')
  const handle = await open(path, 'a+')
  let isFull = true
  let refusals = 0
  const told: Record<string, unknown>[] = []
  const file = new LogFile(
    {
      appendFile: async (text) => {
        if (!isFull) return handle.appendFile(text)
        await handle.appendFile(String(text).slice(0, 2))
        refusals++
        throw new Error('ENOSPC: no space left on device')
      },
      stat: handle.stat.bind(handle),
      read: handle.read.bind(handle),
      close: handle.close.bind(handle),
    },
    path,
    createLog({ destination: { write: (line) => told.push(JSON.parse(line)) } }),
  )
  const refused = (count: number) => eventually('the disk refuses', () => refusals, { until: (so) => so === count })
  file.write('one\n')
  await refused(1)
  file.write('two\n')
  file.write('three\n')
  await refused(2)
  isFull = false
  file.write('four\n')
  await file.close()
  assert.deepEqual(
    told.map(({ level, msg, lost }) => [level, msg, lost]),
    [
      ['error', 'the audit log cannot be written, events are lost', undefined],
      ['warn', 'the audit log is written again', 3],
    ],
  )
  assert.equal(readFileSync(path, 'utf8').split('\n').at(-2), 'four')
})

test('a disk that hangs loses lines rather than fill the memory', async (t) => {
  const path = join(tempDir(t), 'audit.log')
  const handle = await open(path, 'a+')
  const hanging = Promise.withResolvers<void>()
  const file = new LogFile(
    {
      appendFile: async (text) => {
        await hanging.promise
        return handle.appendFile(text)
      },
      stat: handle.stat.bind(handle),
      read: handle.read.bind(handle),
      close: handle.close.bind(handle),
    },
    path,
    silentLog,
  )
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`
  for (let count = 0; count < 40; count++) file.write(line)
  hanging.resolve()
  await file.close()
  assert.equal(statSync(path).size, 32 * 1024 * 1024)
})
