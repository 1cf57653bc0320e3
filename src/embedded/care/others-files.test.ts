import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { systemClock } from '../../core/clock.ts'
import { lockFolder } from '../storage/lock.ts'
import { backup } from './backup.ts'
import { compact } from './compact.ts'
import { placeSnapshot } from './place.ts'
import { restore } from './restore.ts'
import { aFolder, careDeps } from './testing/folders.ts'

const uuid = '3ce0a3f9-a247-4451-b934-cdcd16f34d47'

test('E3c: of what is in a folder, only what a killed command of ours left is removed', async (t) => {
  const dir = await aFolder(t, 3)
  writeFileSync(join(dir, 'check.sh'), 'precious')
  mkdirSync(join(dir, 'restored.documents'))
  for (const name of [`check.${uuid}`, `restored.${uuid}`]) mkdirSync(join(dir, name, 'pki'), { recursive: true })
  lockFolder(dir)[Symbol.dispose]()
  const left = readdirSync(dir).filter((name) => /^(check|restored)/.test(name))
  assert.deepEqual(left.sort(), ['check.sh', 'restored.documents'])
})

test('E3b: beside a backup, only what a killed one left long ago is removed', async (t) => {
  const dir = await aFolder(t, 3)
  const file = join(tempDir(t), 'kube.backup')
  const [ours, young, theirs] = [`${file}.${uuid}.new`, `${file}.${uuid.replace('3', '4')}.new`, `${file}.mine.new`]
  for (const path of [ours, young, theirs]) writeFileSync(path, 'x')
  const longAgo = new Date(systemClock.now().getTime() - 7_200_000)
  for (const path of [ours, theirs]) utimesSync(path, longAgo, longAgo)
  await backup({ dir, to: file, overwrite: false }, careDeps())
  assert.deepEqual([ours, young, theirs].map(existsSync), [false, true, true])
})

test('E3c: a restore that moved nothing aside does not say where it is', async (t) => {
  const from = join(tempDir(t), 'kube.backup')
  await backup({ dir: await aFolder(t, 3), to: from, overwrite: false }, careDeps())
  const dir = join(tempDir(t), 'kube')
  mkdirSync(dir, { mode: 0o700 })
  writeFileSync(join(dir, 'audit.log'), '')
  const { aside } = await restore({ dir, from, replace: true }, careDeps())
  assert.equal(aside, undefined)
  const again = await restore({ dir, from, replace: true }, careDeps())
  assert.ok(again.aside && existsSync(join(again.aside, 'state.db')) && dirname(again.aside) === dir)
})

test('E3c: a restore that cannot be written says so and leaves nothing half done', async (t) => {
  const dir = tempDir(t)
  const entry = { storage: 's', namespace: '', name: 'n', revision: 1, writtenAt: 1, text: '{}' }
  const snapshot = { takenAt: '', revision: 1, files: new Map(), objects: [entry, entry] }
  assert.throws(() => placeSnapshot({ dir, snapshot, revision: 2, aside: 'before', checkpoint: () => {} }), {
    code: 'EMBEDDED_FOLDER_UNUSABLE',
  })
  assert.deepEqual(readdirSync(dir), [])
})

test('E3d: a compaction that the disk does not take says what to do', async (t) => {
  const dir = await aFolder(t, 3)
  const checkpoint = (name: string) => {
    if (name === 'kube-compact.swept') throw new Error('database or disk is full')
  }
  await assert.rejects(compact({ dir }, careDeps({ checkpoint })), {
    code: 'EMBEDDED_NOT_COMPACTED',
    message: /disk is full.*free as much room/,
  })
})
