import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { LogFile } from './log-file.ts'

test('lines are added, also after the file was moved away', async (t) => {
  const path = join(tempDir(t), 'audit.log')
  const file = new LogFile(path)
  t.after(() => file.close())
  await file.append('one\n')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  renameSync(path, `${path}.1`)
  await file.append('two\n')
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'one\n')
  assert.equal(readFileSync(path, 'utf8'), 'two\n')
})

test('half a line of another process does not swallow the next', async (t) => {
  const path = join(tempDir(t), 'audit.log')
  appendFileSync(path, 'whole\nhal')
  const file = new LogFile(path)
  t.after(() => file.close())
  await file.append('mine\n')
  assert.equal(readFileSync(path, 'utf8'), 'whole\nhal\nmine\n')
})

test('a file that cannot be written is told by its path, and heals', async (t) => {
  const dir = tempDir(t)
  const path = join(dir, 'later', 'audit.log')
  const file = new LogFile(path)
  t.after(() => file.close())
  await assert.rejects(file.append('one\n'), { code: 'AUDIT_FILE_UNWRITABLE' })
  mkdirSync(join(dir, 'later'))
  await file.append('one\n')
  assert.equal(readFileSync(path, 'utf8'), 'one\n')
})
