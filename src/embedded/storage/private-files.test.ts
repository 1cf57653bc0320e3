import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { privateFolder } from './private-files.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a folder is made for its owner alone', (t) => {
  const dir = join(tempDir(t), 'deep', 'data')
  privateFolder(dir)
  assert.equal(modeOf(dir), 0o700)
})

test('an empty folder, or one of ours, is closed to others', (t) => {
  const dir = tempDir(t)
  for (let time = 0; time < 2; time++) {
    chmodSync(dir, 0o755)
    privateFolder(dir)
    assert.equal(modeOf(dir), 0o700)
  }
})

test('a folder that others use is neither closed to them nor written to', (t) => {
  const dir = tempDir(t)
  mkdirSync(join(dir, 'of-somebody-else'))
  chmodSync(dir, 0o755)
  assert.throws(
    () => privateFolder(dir),
    (error) => isFailure(error, 'EMBEDDED_FOLDER_NOT_PRIVATE'),
  )
  assert.equal(modeOf(dir), 0o755)
})

test('a folder of another user is not taken, whatever its mode', {
  skip: process.geteuid?.() !== 0 && 'only root gets into one',
}, (t) => {
  const dir = join(tempDir(t), 'theirs')
  privateFolder(dir)
  chownSync(dir, 65_534, 65_534)
  assert.throws(
    () => privateFolder(dir),
    (error) => isFailure(error, 'EMBEDDED_FOLDER_OF_OTHERS'),
  )
})

test('a path that cannot be a folder is refused with the reason', (t) => {
  const file = join(tempDir(t), 'file')
  writeFileSync(file, '')
  assert.throws(
    () => privateFolder(join(file, 'data')),
    (error) => isFailure(error, 'EMBEDDED_FOLDER_UNUSABLE') && /ENOTDIR/.test(error.message),
  )
})
