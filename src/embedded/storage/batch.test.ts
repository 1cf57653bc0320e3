import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideBatch } from './batch.ts'
import type { Change, Entry, Write } from './store.ts'
import { StaleWrite } from './store.ts'
import { anObject, aWrite } from './testing/stores.ts'

const anEntry = (name: string, revision: number): Entry => ({
  ...aWrite(name, undefined),
  revision,
  text: JSON.stringify(anObject(name, 'old')),
  writtenAt: 0,
})

const decide = (writes: Write[], ...there: Entry[]) =>
  decideBatch(writes, {
    get: (_s, _n, name) => there.find((entry) => entry.name === name),
    lastRevision: 10,
    writtenAt: 5,
  })

const summary = (verdict: Change | Error) =>
  verdict instanceof Error ? verdict.name : `${verdict.type} ${verdict.entry.name} ${verdict.revision}`

test('writes of one batch take one revision after the other, and those refused take none', () => {
  const verdicts = decide(
    [aWrite('a', '1'), aWrite('b', '1', 3), aWrite('c', '2', 7), aWrite('d', undefined, 9)],
    anEntry('c', 7),
    anEntry('d', 9),
  )
  assert.deepEqual(verdicts.map(summary), ['ADDED a 11', 'StaleWrite', 'MODIFIED c 12', 'DELETED d 13'])
})

test('a write meets what the ones before it in the batch have made', () => {
  const verdicts = decide([aWrite('a', '1'), aWrite('a', '2'), aWrite('a', '3', 11), aWrite('a', undefined, 12)])
  assert.deepEqual(verdicts.map(summary), ['ADDED a 11', 'StaleWrite', 'MODIFIED a 12', 'DELETED a 13'])
  const [, refused] = verdicts
  assert.ok(refused instanceof StaleWrite && refused.current?.revision === 11)
  assert.deepEqual(decide([aWrite('a', undefined, 7), aWrite('a', '1')], anEntry('a', 7)).map(summary), [
    'DELETED a 11',
    'ADDED a 12',
  ])
})

test('what is not there cannot be deleted', () => {
  const [verdict] = decide([aWrite('a', undefined)])
  assert.ok(verdict instanceof StaleWrite && verdict.current === undefined)
})

test('the revision stands in the object as its resourceVersion; a deletion carries the last state under its own', () => {
  const [added, deleted] = decide([aWrite('a', '1'), aWrite('b', undefined, 7)], anEntry('b', 7)) as Change[]
  assert.deepEqual(JSON.parse(added?.entry.text ?? ''), {
    ...anObject('a', '1'),
    metadata: { name: 'a', namespace: 'default', resourceVersion: '11' },
  })
  assert.deepEqual(JSON.parse(deleted?.entry.text ?? '').metadata.resourceVersion, '12')
  assert.deepEqual(JSON.parse(deleted?.entry.text ?? '').data, { value: 'old' })
  assert.equal(deleted?.before?.revision, 7)
})

test('an object that cannot be written as JSON is refused alone', () => {
  const write = aWrite('a', '1')
  const unfit = { ...write, object: { ...anObject('a', '1'), data: 1n } }
  assert.deepEqual(decide([unfit, write]).map(summary), ['TypeError', 'ADDED a 11'])
})

test('an object grows to a limit, and beyond it only to be deleted', () => {
  const large = (name: string, length: number, follows = 0, metadata = {}): Write => {
    const write = aWrite(name, 'x'.repeat(length), follows)
    const object = write.object as NonNullable<Write['object']>
    return { ...write, object: { ...object, metadata: { ...object.metadata, ...metadata } } }
  }
  const most = 2 * 1024 * 1024
  const isGoing = { deletionTimestamp: '2030-01-01T00:00:00Z' }
  const verdicts = decide([
    large('a', most - 1_000),
    large('a', most, 11),
    large('a', most, 11, isGoing),
    large('a', 2 * most, 12, isGoing),
    large('b', most),
  ])
  assert.deepEqual(verdicts.map(summary), [
    'ADDED a 11',
    'ObjectTooLarge',
    'MODIFIED a 12',
    'ObjectTooLarge',
    'ObjectTooLarge',
  ])
})
