import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { checkpointNames } from '../../core/checkpoint.ts'
import { lockFolder } from '../storage/lock.ts'
import { startChild } from '../storage/testing/child.ts'
import { backup } from './backup.ts'
import { readWholeBackup } from './backup-file.ts'
import { filesOf } from './check-folder.ts'
import { fsck } from './fsck.ts'
import { aFolder, careDeps, contentOf } from './testing/folders.ts'

const script = '../../care/testing/care-on.ts'
const places = (flow: string) => checkpointNames.filter((name) => name.startsWith(`${flow}.`))

/** Ends where it is told to, which is before its end. */
async function killed(t: TestContext, ...parameters: string[]): Promise<void> {
  const child = startChild(t, script, ...parameters)
  assert.equal(await child.nextLine(), undefined, `it was not killed: ${parameters.join(' ')}`)
  await child.end()
}

async function takeBackup(t: TestContext, dir: string): Promise<string> {
  const to = join(tempDir(t), 'kube.backup')
  await backup({ dir, to, overwrite: false }, careDeps())
  return to
}

/** The data with the keys, as one value: the old one and the new one must never be mixed. */
async function stateOf(dir: string): Promise<unknown> {
  // As every start does: what was under way is brought to its end.
  lockFolder(dir)[Symbol.dispose]()
  return { objects: await contentOf(dir), files: filesOf(dir) }
}

for (const name of places('kube-backup'))
  test(`E3b: a kill at ${name} leaves the old backup or the new one, whole`, async (t) => {
    const dir = await aFolder(t, 12)
    const file = await takeBackup(t, await aFolder(t, 3))
    const before = (await readWholeBackup(file)).objects.length
    await killed(t, 'backup', dir, file, name)
    const after = (await readWholeBackup(file)).objects.length
    assert.deepEqual(after !== before, name === 'kube-backup.renamed')
    assert.deepEqual((await fsck({ dir }, undefined, careDeps())).findings, [])
  })

for (const name of places('kube-restore'))
  for (const time of name === 'kube-restore.moved-in' ? [1, 2] : [1])
    test(`E3c: a kill at ${name} (${time}) leaves the old data with its keys or the new with its own`, async (t) => {
      const from = await aFolder(t, 12)
      const file = await takeBackup(t, from)
      const dir = await aFolder(t, 5)
      const [before, wanted] = [await stateOf(dir), await stateOf(from)]
      await killed(t, 'restore', dir, file, name, String(time))
      const isDecided = !['begun', 'data-written', 'keys-written'].includes(name.slice('kube-restore.'.length))
      assert.deepEqual(await stateOf(dir), isDecided ? wanted : before)
      assert.deepEqual((await fsck({ dir }, undefined, careDeps())).findings, [])
      const left = readdirSync(dir).filter((entry) => entry.startsWith('restored'))
      assert.deepEqual(left, [], 'nothing half done is left')
      if (isDecided) assert.equal(readdirSync(dir).filter((entry) => entry.startsWith('before-')).length, 1)
    })

for (const name of places('kube-restore').slice(0, 5))
  test(`F16b: a kill at ${name} leaves the old data, or the restored with all that was to end ended`, async (t) => {
    const file = await takeBackup(t, await aFolder(t, 12))
    const dir = await aFolder(t, 5)
    const before = await stateOf(dir)
    await killed(t, 'restore-corrected', dir, file, name)
    const isDecided = !['begun', 'data-written', 'keys-written'].includes(name.slice('kube-restore.'.length))
    const state = await stateOf(dir)
    if (!isDecided) return assert.deepEqual(state, before)
    const texts = [...(await contentOf(dir))].filter(([place]) => place.startsWith('configmaps/'))
    const values = texts.map(([place, text]) => [Number(place.split('-')[1]) % 3, JSON.parse(text).data.value])
    assert.ok(
      values.every(([rest, value]) => rest !== 0 && (value === 'corrected') === (rest === 1)),
      `${values}`,
    )
    assert.ok(values.some(([rest]) => rest === 1) && values.some(([rest]) => rest === 2))
    assert.deepEqual((await fsck({ dir }, undefined, careDeps())).findings, [])
  })

for (const name of places('kube-compact'))
  test(`E3d: a kill at ${name} loses nothing`, async (t) => {
    const dir = await aFolder(t, 40)
    const before = await stateOf(dir)
    await killed(t, 'compact', dir, '', name)
    assert.deepEqual(await stateOf(dir), before)
    assert.deepEqual((await fsck({ dir }, undefined, careDeps())).findings, [])
  })

for (const name of places('kube-restore').slice(0, 4))
  test(`E3e: a kill of a repair at ${name} leaves nothing or all of it`, async (t) => {
    const dir = await aFolder(t, 12)
    const to = join(tempDir(t), 'saved')
    await killed(t, 'repair', dir, to, name)
    if (name === 'kube-restore.announced') assert.deepEqual(await stateOf(to), await stateOf(dir))
    else {
      await fsck({ dir }, to, careDeps())
      assert.deepEqual(await stateOf(to), await stateOf(dir))
    }
  })
