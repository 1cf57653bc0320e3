import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { aKind, served } from '../admission/testing/scene.ts'
import { expired } from '../status.ts'
import type { Entry } from '../storage/store.ts'
import type { Frame } from '../watch/frame.ts'
import { plainForm } from './answer.ts'
import type { LastLine } from './frames.ts'
import { frameWriter } from './frames.ts'
import type { Form } from './negotiate.ts'

const kind = aKind('', 'Thing', 'things', {
  versions: [
    {
      ...{ name: 'v1', schema: {}, selectable: {} },
      columns: [{ name: 'Name', type: 'string', format: '', description: '', priority: 0, cell: () => 'cell' }],
    },
  ],
})
const things = served(kind)
const entry: Entry = {
  ...{ storage: 'things', namespace: '', name: 'a', revision: 7, writtenAt: 0 },
  text: '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}',
}
const added: Frame = { type: 'ADDED', entry, revision: 7 }
const bookmark = (endsInitialEvents: boolean): Frame => ({ type: 'BOOKMARK', revision: 9, endsInitialEvents })

const writer = (as: Form['as'], last: LastLine = {}) => {
  const write = frameWriter(things, { ...plainForm, as }, new FakeClock(), last)
  return (frame: Frame) => JSON.parse(String(write(frame)))
}

test('a line is an event with its object, and ends with a line end', () => {
  const write = frameWriter(things, plainForm, new FakeClock(), {})
  assert.equal(String(write(added)), `{"type":"ADDED","object":${entry.text}}\n`)
  assert.equal(
    String(write(bookmark(false))),
    '{"type":"BOOKMARK","object":{"kind":"Thing","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}\n',
  )
  assert.deepEqual(writer('object')(bookmark(true)).object.metadata.annotations, {
    'k8s.io/initial-events-end': 'true',
  })
  const { type, object } = writer('Table')({ type: 'ERROR', status: expired('too old').toStatus() })
  assert.deepEqual([type, object.kind, object.code], ['ERROR', 'Status', 410])
})

test('the same line for the same change is written once, whoever reads it', () => {
  const last: LastLine = {}
  const [one, other] = [0, 1].map(() => frameWriter(things, plainForm, new FakeClock(), last))
  const bytes = one?.(added)
  assert.equal(other?.(added), bytes)
  assert.notEqual(other?.({ ...added, type: 'MODIFIED' }), bytes)
  assert.match(String(one?.({ ...added, entry: { ...entry, name: 'b' } })), /^{"type":"ADDED"/)
  const elsewhere = frameWriter({ ...things }, plainForm, new FakeClock(), last)
  const again = frameWriter(things, plainForm, new FakeClock(), last)
  assert.deepEqual(elsewhere(added), bytes)
  assert.deepEqual(again(added), bytes)
})

test('other forms do not take a line for theirs that is not', () => {
  const last: LastLine = {}
  writer('object', last)(added)
  assert.equal(writer('PartialObjectMetadata', last)(added).object.kind, 'PartialObjectMetadata')
  const write = writer('Table', last)
  const [first, second] = [write(added).object, write(added).object]
  assert.deepEqual([first.kind, first.columnDefinitions.length, second.columnDefinitions], ['Table', 1, null])
  assert.equal(writer('object', last)(added).object.kind, 'Thing')
})

test('bookmarks come in the form of the watch', () => {
  const { object: partial } = writer('PartialObjectMetadata')(bookmark(true))
  assert.deepEqual([partial.kind, partial.metadata.resourceVersion], ['PartialObjectMetadata', '9'])
  const { object: table } = writer('Table')(bookmark(true))
  assert.deepEqual([table.kind, table.metadata.resourceVersion, table.rows[0].cells], ['Table', '9', ['cell']])
  assert.deepEqual(table.rows[0].object, partial)
})

test('what has to be converted is a promise', async () => {
  const converted = served({
    ...kind,
    storedAs: { apiVersion: 'v0', kind: 'Thing' },
    convert: async (objects, apiVersion) => objects.map((object) => ({ ...object, apiVersion })),
  })
  const old = { ...entry, text: entry.text.replace('"v1"', '"v0"') }
  const line = frameWriter(converted, plainForm, new FakeClock(), {})({ type: 'ADDED', entry: old, revision: 7 })
  assert.ok(line instanceof Promise)
  assert.equal(String(await line), `{"type":"ADDED","object":${entry.text}}\n`)
})
