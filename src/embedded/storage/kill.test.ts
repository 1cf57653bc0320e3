import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { startChild } from './testing/child.ts'
import { openIn, storedValue } from './testing/stores.ts'

interface Acknowledged {
  name: string
  revision: number
  value?: string
}

test('E3: no acknowledged write is lost to kill -9 under load, and no revision is used again', async (t) => {
  const dir = tempDir(t)
  const seen = new Set<number>()
  for (let round = 1; round <= 3; round++) {
    const child = startChild(t, 'write-on.ts', dir, String(round))
    const opened = await child.nextLine()
    assert.equal(opened, `revision ${Math.max(0, ...seen)}`)
    const acknowledged: Acknowledged[] = []
    const note = (line: string | undefined) => line?.endsWith('}') && acknowledged.push(JSON.parse(line))
    while (acknowledged.length < 400) {
      const line = await child.nextLine()
      assert.ok(line !== undefined, 'the writer ended by itself')
      note(line)
    }
    const killed = child.kill()
    for (let line = await child.nextLine(); line; line = await child.nextLine()) note(line)
    await killed

    const store = openIn(dir, { historyLimit: 500 })
    const changes = store.changesSince(store.oldestRevision) ?? []
    const known = new Map(changes.map((change) => [change.revision, change]))
    const lastChanges = new Map(changes.map((change) => [change.entry.name, change]))
    const lastAcknowledged = new Map(acknowledged.map((write) => [write.name, write]))
    for (const { name, revision, value } of lastAcknowledged.values()) {
      // What was on its way may have got there, too.
      if ((lastChanges.get(name)?.revision ?? 0) > revision) continue
      const entry = store.get('configmaps', 'default', name)
      assert.deepEqual([storedValue(entry), entry?.revision], [value, value === undefined ? undefined : revision])
    }
    for (const { revision, name, value } of acknowledged) {
      assert.ok(!seen.has(revision), `revision ${revision} was used before`)
      seen.add(revision)
      if (revision <= store.oldestRevision) continue
      const change = known.get(revision)
      assert.deepEqual([change?.entry.name, change?.type === 'DELETED'], [name, value === undefined])
    }
    for (const revision of known.keys()) seen.add(revision)
    await store.close()
  }
})
