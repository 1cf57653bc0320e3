import assert from 'node:assert/strict'
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { openIn } from '../storage/testing/stores.ts'
import { fsck } from './fsck.ts'
import { readPages } from './salvage/pages.ts'
import { salvage } from './salvage/salvage.ts'
import { aFolder, careDeps, contentOf } from './testing/folders.ts'

/** Numbers that look random and are the same for the same seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const startSeed = Number(process.env['DAMAGE_SEED'] ?? 20_261)
const rounds = Number(process.env['DAMAGE_ROUNDS'] ?? 120)

/** Every state that any object ever had, by its place. */
function everWritten(dir: string): Map<string, Set<string>> {
  const states = new Map<string, Set<string>>()
  const { objects } = salvage(readPages(join(dir, 'state.db')))
  for (const { storage, namespace, name, text } of objects) {
    const key = `${storage}/${namespace}/${name}`
    states.set(key, (states.get(key) ?? new Set()).add(text))
  }
  return states
}

test('E3g: whatever byte of the file is damaged, nothing wrong is served and everything readable is saved', async (t) => {
  const dir = await aFolder(t, 90, 6_000)
  const whole = await contentOf(dir)
  const history = new Map<string, string[]>()
  {
    const store = openIn(dir)
    for (const { entry } of store.changesSince(store.oldestRevision) ?? [])
      history.set(entry.text, [...(history.get(entry.text) ?? []), entry.name])
    await store.close()
  }
  assert.deepEqual(new Set(everWritten(dir).keys()), new Set(whole.keys()))
  const bytes = readFileSync(join(dir, 'state.db'))
  t.diagnostic(`DAMAGE_SEED=${startSeed} DAMAGE_ROUNDS=${rounds}, ${bytes.length} bytes`)
  let [refused, harmless, saved] = [0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const seed = startSeed + round
    const next = numbers(seed)
    const copy = join(tempDir(t), 'copy')
    cpSync(dir, copy, { recursive: true })
    const harmed = Buffer.from(bytes)
    const length = [1, 1, 4, 64, 4_096][next(5)] ?? 1
    const at = next(harmed.length)
    for (let i = at; i < Math.min(harmed.length, at + length); i++) harmed[i] = next(256)
    const words = `seed ${seed}: ${length} bytes at ${at}`
    writeFileSync(join(copy, 'state.db'), harmed)
    const served = await contentOf(copy).catch((error: unknown) => {
      assert.ok(isFailure(error) && error.code.startsWith('EMBEDDED_DATA_'), `${words}: ${error}`)
      return undefined
    })
    if (served) {
      // Bytes that nothing is kept in, or that became what they were.
      assert.deepEqual(served, whole, words)
      harmless++
      continue
    }
    refused++
    // The opening may have rolled something on: what is checked is the damage itself.
    writeFileSync(join(copy, 'state.db'), harmed)
    const to = join(tempDir(t), 'saved')
    const { findings, repaired } = await fsck({ dir: copy }, to, careDeps()).catch((error: unknown) => {
      throw new Error(`${words}: ${error}`, { cause: error })
    })
    assert.ok(findings.length > 0, words)
    const readable = await contentOf(to)
    let lostObjects = 0
    for (const [key, text] of whole) if (readable.get(key) !== text) lostObjects++
    for (const [key, text] of readable)
      if (whole.get(key) !== text) assert.ok(history.has(text), `${words}: ${key} is what it never was`)
    if (lostObjects > 0) assert.ok((repaired?.lost.length ?? 0) > 0, `${words}: ${lostObjects} objects lost unsaid`)
    // A stretch of 4 KiB hits two pages: what is on the others stays.
    assert.ok(readable.size > whole.size / 2, `${words}: ${readable.size} of ${whole.size} saved`)
    assert.ok((repaired?.revision ?? 0) > 1e15)
    assert.deepEqual((await fsck({ dir: to }, undefined, careDeps())).findings.filter(isNotNamespace), [], words)
    saved++
  }
  t.diagnostic(`${refused} refused, ${saved} saved, ${harmless} harmless`)
  assert.ok(refused > 20 && saved === refused)
})

const isNotNamespace = ({ id }: { id: string }) => id !== 'NamespaceMissing'

test('E3g: a file that was cut off gives what is left of it', async (t) => {
  const dir = await aFolder(t, 60, 3_000)
  const whole = await contentOf(dir)
  const path = join(dir, 'state.db')
  const size = readFileSync(path).length
  for (const part of [0.9, 0.5]) {
    const copy = join(tempDir(t), 'copy')
    cpSync(dir, copy, { recursive: true })
    truncateSync(join(copy, 'state.db'), Math.floor(size * part))
    assert.throws(() => openIn(copy), { code: 'EMBEDDED_DATA_DAMAGED', message: /lanyard kube fsck --data/ })
    const to = join(tempDir(t), 'saved')
    const { repaired } = await fsck({ dir: copy }, to, careDeps())
    assert.ok((repaired?.lost.length ?? 0) > 0)
    const readable = await contentOf(to)
    assert.ok(readable.size > (whole.size * part) / 3, `${readable.size} of ${whole.size}`)
  }
})

test('E3g: a file of something else has nothing to save, and says so', async (t) => {
  const dir = await aFolder(t)
  writeFileSync(join(dir, 'state.db'), 'certainly not a database'.repeat(1_000))
  assert.throws(() => openIn(dir), { code: 'EMBEDDED_DATA_DAMAGED' })
  const { findings } = await fsck({ dir }, undefined, careDeps())
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['Unreadable'],
  )
  await assert.rejects(fsck({ dir }, join(tempDir(t), 'saved'), careDeps()), { code: 'EMBEDDED_NOTHING_READABLE' })
})

test('E3g: a row that was changed by one letter is found, and the rest is saved', async (t) => {
  const dir = await aFolder(t)
  const whole = await contentOf(dir)
  const path = join(dir, 'state.db')
  const bytes = readFileSync(path)
  const at = bytes.indexOf('"changed-3"')
  bytes[at + 2] = 'H'.charCodeAt(0)
  writeFileSync(path, bytes)
  assert.throws(() => openIn(dir), {
    code: 'EMBEDDED_DATA_DAMAGED',
    message: /configmaps default\/c-3 at revision \d+: its checksum does not fit/,
  })
  const to = join(tempDir(t), 'saved')
  const { findings, repaired } = await fsck({ dir }, to, careDeps())
  assert.deepEqual(
    findings.map(({ id, detail }) => `${id}: ${detail}`),
    ['RowDamaged: its checksum does not fit'],
  )
  assert.match(repaired?.lost[0]?.where ?? '', /^configmaps default\/c-3 at revision/)
  const readable = await contentOf(to)
  whole.delete('configmaps/default/c-3')
  readable.delete('configmaps/default/c-3')
  assert.deepEqual(readable, whole)
})
