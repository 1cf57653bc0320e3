import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { linesIn } from '../../core/text-lines.ts'
import type { Entry } from '../storage/store.ts'
import { backupLines, readBackupLines } from './backup-lines.ts'
import type { Snapshot } from './snapshot.ts'
import { revisionAfterRestore } from './snapshot.ts'

const entry = (name: string, revision: number): Entry => {
  const metadata = { name, namespace: 'default', resourceVersion: String(revision) }
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { line: 'a\u2028b' } })
  return { storage: 'configmaps', namespace: 'default', name, revision, text, writtenAt: 5 }
}

const snapshot: Snapshot = {
  takenAt: '2026-11-16T12:00:00.000Z',
  revision: 9,
  files: new Map([['port', '6443']]),
  objects: [entry('a', 3), entry('b', 7)],
}

const linesOf = (of: Snapshot): string[] => [...backupLines(of)].map((line) => line.slice(0, -1))

test('a backup is read as it was written', async () => {
  assert.deepEqual(await readBackupLines(linesOf(snapshot)), { snapshot, damage: [], format: 1 })
})

test('E3b: every letter that is changed, and every line that is missing, is found, and the rest is read', async () => {
  const text = linesOf(snapshot).join('\n')
  for (let at = 0; at < text.length; at += 3) {
    const harmed = `${text.slice(0, at)}${text[at] === '~' ? '!' : '~'}${text.slice(at + 1)}`
    const { damage, snapshot: read } = await readBackupLines(harmed.split('\n'))
    assert.ok(damage.length > 0, `at ${at}`)
    assert.ok(read.objects.length >= 1, `at ${at}`)
  }
  for (let missing = 0; missing < 5; missing++) {
    const { damage } = await readBackupLines(linesOf(snapshot).toSpliced(missing, 1))
    assert.ok(damage.length > 0, `without line ${missing + 1}`)
  }
  const { damage } = await readBackupLines([...linesOf(snapshot), linesOf(snapshot)[1] ?? ''])
  assert.match(damage[0]?.detail ?? '', /more after its end/)
})

test('E3b: a backup whose lines are whole and tell a lie is found out', async () => {
  const lies: [Partial<Snapshot>, RegExp][] = [
    [{ objects: [entry('a', 3), entry('b', 3)] }, /its revision 3 is that of another/],
    [{ objects: [entry('a', 12)] }, /revision 12 is above the counter/],
    [{ objects: [{ ...entry('a', 3), name: 'x' }] }, /another name than its own/],
    [{ files: new Map([['../../escape', 'x']]) }, /no part of a backup/],
    [{ files: new Map([['port', { a: 1 } as never]]) }, /no part of a backup/],
    [{ objects: [entry('a', 3), entry('a', 4)] }, /it is there twice/],
    [{ objects: [entry('a', 1.5)] }, /it is no object/],
    [{ objects: [entry('a', -3)] }, /it is no object/],
    [{ objects: [{ ...entry('a', 3), writtenAt: 'x' as never }] }, /it is no object/],
    [{ objects: [5 as never] }, /it is no part of a backup/],
    [{ revision: 'many' as never }, /does not begin as a backup/],
    [{ revision: Number.MAX_SAFE_INTEGER - 1 }, /does not begin as a backup/],
    [{ takenAt: '\u001b[2J' }, /does not begin as a backup/],
  ]
  for (const [lie, words] of lies) {
    const { damage, snapshot: read } = await readBackupLines(linesOf({ ...snapshot, ...lie }))
    assert.match(damage.map(({ detail }) => detail).join(), words)
    assert.ok(!read.files.has('../../escape'))
  }
})

test('lines are split at line feeds alone, wherever the pieces end', async () => {
  async function* pieces() {
    yield* ['a\u2028', 'b\nc', '', '\n\nd']
  }
  assert.deepEqual(await Array.fromAsync(linesIn(pieces())), ['a\u2028b', 'c', '', 'd'])
})

test('E3b: a line that is no object is damage, whatever its checksum says', async () => {
  const lines = linesOf(snapshot).toSpliced(1, 0, `${crc32('5').toString(16).padStart(8, '0')} 5`)
  const { damage, snapshot: read } = await readBackupLines(lines)
  assert.equal(damage[0]?.where, 'line 2')
  assert.equal(read.objects.length, 2)
})

test('a file that is none of ours is read once, and told in a bounded number of words', async () => {
  async function* endless() {
    for (let i = 0; i < 20_000; i++) yield '\0'.repeat(8_192)
  }
  let pieces = 0
  for await (const part of linesIn(endless())) pieces += part.length > 0 ? 1 : 0
  assert.ok(pieces > 1 && pieces < 10, `${pieces} parts`)
  const { damage } = await readBackupLines(Array.from({ length: 50_000 }, () => 'x'))
  assert.ok(damage.length <= 1_002, `${damage.length}`)
  assert.match(damage[0]?.detail ?? '', /does not begin as a backup/)
})

test('E3b: after a restore the counter is ahead of whatever was known before, also after the same one again', () => {
  const first = revisionAfterRestore(new Date('2026-11-16T12:00:00Z'), 100)
  const written = first + 5_000
  const again = revisionAfterRestore(new Date('2026-11-16T12:00:10Z'), 100)
  assert.ok(first > 100 && again > written, `${first} ${again}`)
  const clockGoneBack = revisionAfterRestore(new Date('2000-01-01T00:00:00Z'), first, again)
  assert.ok(clockGoneBack > again + 1_000_000)
  assert.ok(Number.isSafeInteger(clockGoneBack + 1e12))
})
