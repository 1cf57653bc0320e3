import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'

const script = join(import.meta.dirname, 'testing', 'fill-disk.ts')

/** A disk of 3 MiB that only the process sees which is run on it; undefined where nobody lets us have one. */
function onSmallDisk(dir: string): string | undefined {
  const commands = ['mount -t tmpfs -o size=3m tmpfs "$0"', 'exec "$1" "$2" "$0"'].join(' && ')
  const asked = ['-m', 'sh', '-c', commands, dir, process.execPath, script]
  const isAllowed = (flags: string[]) =>
    spawnSync('unshare', [...flags, '-m', 'mount', '-t', 'tmpfs', 'tmpfs', dir]).status === 0
  const flags = [[], ['-r']].find(isAllowed)
  if (!flags) return undefined
  const { stdout, stderr, status } = spawnSync('unshare', [...flags, ...asked], { encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 0, stderr)
  return stdout
}

test('E3h: on a disk that is full writes are refused, reads and watches go on, and with room writes work again', (t) => {
  const dir = join(tempDir(t), 'disk')
  mkdirSync(dir)
  const said = process.platform === 'linux' ? onSmallDisk(dir) : undefined
  // The same against a bound of SQLite's own runs everywhere: see open-store.test.ts.
  if (said === undefined) return t.diagnostic('no small disk can be mounted here')
  const { taken, bytes, ...outcome } = JSON.parse(said)
  assert.ok(taken > 2 && bytes > 100_000, said)
  assert.deepEqual(outcome, {
    refused: [507, 'Status', 'InsufficientStorage'],
    readsGoOn: true,
    watched: true,
    again: 201,
    isAllKept: true,
  })
})
