import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { lockFolder } from './lock.ts'
import { startChild } from './testing/child.ts'

const isInUse = (error: unknown) => isFailure(error, 'EMBEDDED_FOLDER_IN_USE')

test('E3: a second process refuses the folder, naming the first, and has it once the first has ended', async (t) => {
  const dir = join(tempDir(t), 'data')
  const first = startChild(t, 'hold-lock.ts', dir)
  assert.equal(await first.nextLine(), 'locked')
  const second = startChild(t, 'hold-lock.ts', dir)
  const refusal = (await second.nextLine()) ?? ''
  assert.ok(refusal.startsWith(`EMBEDDED_FOLDER_IN_USE process ${first.pid} `), refusal)
  await first.end()
  using _lock = lockFolder(dir)
  assert.equal(readFileSync(join(dir, 'lock.pid'), 'utf8').trim(), String(process.pid))
})

test('E3: a process that was killed leaves nothing that would keep the next one out', async (t) => {
  const dir = tempDir(t)
  const first = startChild(t, 'hold-lock.ts', dir)
  assert.equal(await first.nextLine(), 'locked')
  await first.kill()
  assert.equal(readFileSync(join(dir, 'lock.pid'), 'utf8').trim(), String(first.pid))
  using _lock = lockFolder(dir)
})

test('E3: the number of a process that lives, but does not serve the folder, keeps nobody out', (t) => {
  const dir = tempDir(t)
  writeFileSync(join(dir, 'lock.pid'), `${process.ppid}\n`)
  using _lock = lockFolder(dir)
})

test('E3: of many that race for a folder one wins', async (t) => {
  const dir = tempDir(t)
  const racers = Array.from({ length: 4 }, () => startChild(t, 'hold-lock.ts', dir))
  const lines = await Promise.all(racers.map((racer) => racer.nextLine()))
  const winner = racers[lines.indexOf('locked')]
  const refusals = lines.filter((line) => line?.startsWith(`EMBEDDED_FOLDER_IN_USE process ${winner?.pid} `))
  assert.equal(refusals.length, 3, lines.join('\n'))
})

test('within one process a folder is locked once; given back, it can be had again', (t) => {
  const dir = tempDir(t)
  const lock = lockFolder(dir)
  assert.throws(() => lockFolder(dir), isInUse)
  assert.throws(() => lockFolder(dir), isInUse)
  lock[Symbol.dispose]()
  using _again = lockFolder(dir)
  lock[Symbol.dispose]()
  assert.throws(() => lockFolder(dir), isInUse)
  assert.equal(statSync(dir).mode & 0o777, 0o700)
  for (const file of ['lock.db', 'lock.pid']) assert.equal(statSync(join(dir, file)).mode & 0o777, 0o600)
})

test('a lock file that is none is damaged', (t) => {
  const dir = tempDir(t)
  writeFileSync(join(dir, 'lock.db'), 'not a database'.repeat(1_000))
  assert.throws(
    () => lockFolder(dir),
    (error) => isFailure(error, 'EMBEDDED_LOCK_DAMAGED'),
  )
})

test('E3h: a lock takes no room, so that a folder on a disk that is full can be served and backed up', (t) => {
  const dir = tempDir(t)
  using _lock = lockFolder(dir)
  assert.deepEqual(readdirSync(dir).sort(), ['lock.db', 'lock.pid'])
  assert.equal(statSync(join(dir, 'lock.db')).size, 0)
})
