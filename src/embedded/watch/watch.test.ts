import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, served } from '../admission/testing/scene.ts'
import { badRequest } from '../status.ts'
import { Reader, watchScene } from './testing/scene.ts'

test('without a version it begins with what is there, in order, and goes on with what happens', async (t) => {
  const { put, watch, clock } = watchScene(t)
  await put('b', '1')
  await put('a', '1')
  const { reader } = watch({ namespace: 'home' })
  assert.deepEqual(reader.told, [], 'the caller holds the watch before the first frame comes')
  await put('a', '2')
  await put('elsewhere', '1', { namespace: 'away' })
  await put('b')
  await clock.settle()
  assert.deepEqual(reader.told, ['ADDED a=1 @2', 'ADDED b=1 @1', 'MODIFIED a=2 @3', 'DELETED b=1 @5'])
})

test('from a version on it tells all that came after it and nothing before', async (t) => {
  const { put, watch } = watchScene(t)
  await put('a', '1')
  const { revision: resourceVersion } = await put('b', '1')
  await put('a', '2')
  await put('c', '1', { namespace: 'away' })
  const { reader } = watch({ namespace: 'home', resourceVersion })
  await put('d', '1')
  assert.deepEqual(reader.told, ['MODIFIED a=2 @3', 'ADDED d=1 @5'])
})

test('from a version that is yet to come it tells what comes after that one', async (t) => {
  const { put, watch, clock } = watchScene(t)
  await put('a', '1')
  const { reader } = watch({ resourceVersion: 3, allowBookmarks: true })
  await put('b', '1')
  await put('c', '1')
  await clock.advance('1m')
  await put('d', '1')
  assert.deepEqual(reader.told, ['BOOKMARK @3', 'ADDED d=1 @4'])
})

test('from a version that is forgotten it says so and ends, and nothing of it stays', async (t) => {
  const { put, watch, fanOut, clock } = watchScene(t, { historyLimit: 2 })
  for (const value of ['1', '2', '3', '4']) await put('a', value)
  const { reader } = watch({ resourceVersion: 1, allowBookmarks: true })
  await clock.settle()
  assert.deepEqual(reader.told, ['ERROR 410 too old resource version: 1 (2)'])
  assert.deepEqual([reader.isOver, fanOut.size, clock.nextDue], [true, 0, undefined])
})

test('initial events are sent or not as the client says, and end with a bookmark for those who take bookmarks', async (t) => {
  const { put, watch, clock } = watchScene(t)
  await put('a', '1')
  await put('b', '1')
  const whole = watch({ sendInitialEvents: true, allowBookmarks: true, resourceVersion: 1 }).reader
  const plain = watch({ sendInitialEvents: true }).reader
  const none = watch({ sendInitialEvents: false, resourceVersion: 0, allowBookmarks: true }).reader
  const some = watch({
    sendInitialEvents: true,
    allowBookmarks: true,
    fieldSelector: 'metadata.name=b',
    namespace: 'home',
  })
  await clock.settle()
  assert.deepEqual(whole.told, ['ADDED a=1 @1', 'ADDED b=1 @2', 'BOOKMARK @2 ends initial events'])
  assert.deepEqual(plain.told, ['ADDED a=1 @1', 'ADDED b=1 @2'])
  assert.deepEqual(some.reader.told, ['ADDED b=1 @2', 'BOOKMARK @2 ends initial events'])
  await put('c', '1')
  assert.deepEqual(none.told, ['ADDED c=1 @3'])
})

test('changes while what is there is being read come after it, each once', async (t) => {
  const { put, watch } = watchScene(t)
  await put('a', '1')
  await put('b', '1')
  const reader = new Reader()
  reader.room = 1
  const { resume } = watch({ sendInitialEvents: true, allowBookmarks: true }, reader)
  await put('a', '2')
  await put('b')
  assert.deepEqual(reader.told, ['ADDED a=1 @1'])
  reader.room = 2
  resume()
  await put('c', '1')
  assert.deepEqual(reader.told.slice(1), ['ADDED b=1 @2', 'BOOKMARK @2 ends initial events'])
  reader.room = Number.POSITIVE_INFINITY
  resume()
  assert.deepEqual(reader.told.slice(3), ['MODIFIED a=2 @3', 'DELETED b=1 @4', 'ADDED c=1 @5'])
})

test('a reader that pauses gets everything in order when it resumes, and may resume more than once', async (t) => {
  const { put, watch, clock } = watchScene(t)
  const { reader, resume } = watch()
  await clock.settle()
  reader.isPaused = true
  for (const value of ['1', '2', '3']) await put('a', value)
  assert.deepEqual(reader.told, ['ADDED a=1 @1'])
  resume()
  resume()
  await put('a', '4')
  assert.deepEqual(reader.told.slice(1), ['MODIFIED a=2 @2', 'MODIFIED a=3 @3', 'MODIFIED a=4 @4'])
})

test('E9: a reader that never resumes is cut off, and keeps nothing from the others', async (t) => {
  const { put, watch, fanOut, clock } = watchScene(t)
  const slow = watch({ allowBookmarks: true })
  const quick = watch()
  await clock.settle()
  slow.reader.isPaused = true
  const writes = 10_050
  for (let written = 0; written < writes; written += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => put(`c-${index}`, String(written))))
  assert.equal(quick.reader.frames.length, writes)
  assert.deepEqual([slow.reader.frames.length, slow.reader.isOver, fanOut.size], [1, true, 1])
  slow.resume()
  assert.equal(slow.reader.frames.length, 1)
})

test('an object that begins or ceases to match a selector comes or goes, under the version that made it so', async (t) => {
  const { put, watch, clock } = watchScene(t)
  await put('a', '1', { labels: { on: 'no' } })
  const live = watch({ labelSelector: 'on=yes' })
  await clock.settle()
  await put('a', '2', { labels: { on: 'yes' } })
  await put('a', '3', { labels: { on: 'yes' } })
  await put('a', '4')
  await put('a', '5')
  await put('b', '1', { labels: { on: 'yes' } })
  await put('b')
  const told = ['ADDED a=2 @2', 'MODIFIED a=3 @3', 'DELETED a=3 @4', 'ADDED b=1 @6', 'DELETED b=1 @7']
  assert.deepEqual(live.reader.told, told)
  const late = watch({ labelSelector: 'on=yes', resourceVersion: 1 })
  await clock.settle()
  assert.deepEqual(late.reader.told, told)
})

test('what ceases to match is one and the same entry to all who watched it', async (t) => {
  const { put, watch } = watchScene(t)
  await put('a', '1', { labels: { on: 'yes' } })
  const readers = [watch({ labelSelector: 'on=yes' }).reader, watch({ labelSelector: 'on' }).reader]
  await put('a', '2')
  const [one, other] = readers.map(({ frames }) => frames.at(-1))
  assert.ok(one?.type === 'DELETED' && other?.type === 'DELETED')
  assert.equal(one.entry, other.entry)
})

test('one name in all namespaces, and in one', async (t) => {
  const { put, watch, clock } = watchScene(t)
  await put('a', '1')
  await put('b', '1')
  await put('a', '1', { namespace: 'away' })
  const everywhere = watch({ fieldSelector: 'metadata.name=a' }).reader
  const here = watch({ fieldSelector: 'metadata.name=a', namespace: 'home' }).reader
  const nowhere = watch({ fieldSelector: 'metadata.name=a,metadata.name!=a', namespace: 'home' }).reader
  await clock.settle()
  await put('a', '2', { namespace: 'away' })
  await put('b', '2')
  assert.deepEqual(everywhere.told, ['ADDED a=1 @3', 'ADDED a=1 @1', 'MODIFIED a=2 @4'])
  assert.deepEqual([here.told, nowhere.told], [['ADDED a=1 @1'], []])
})

test('bookmarks come each minute to those who take them, and not to one that is behind', async (t) => {
  const { put, watch, clock } = watchScene(t)
  const { reader, resume } = watch({ allowBookmarks: true })
  const without = watch().reader
  await clock.advance('59s')
  assert.deepEqual(reader.told, [])
  await clock.advance('1s')
  await put('a', '1')
  await put('elsewhere', '1', { namespace: 'away' })
  await clock.advance('1m')
  assert.deepEqual(reader.told.slice(0, 2), ['BOOKMARK @0', 'ADDED a=1 @1'])
  assert.equal(reader.told.at(-1), 'BOOKMARK @2')
  reader.isPaused = true
  await put('a', '2')
  await clock.advance('5m')
  assert.equal(reader.told.at(-1), 'MODIFIED a=2 @3')
  resume()
  await clock.advance('1m')
  assert.equal(reader.told.at(-1), 'BOOKMARK @3')
  assert.ok(without.told.every((told) => !told.startsWith('BOOKMARK')))
})

test('it ends when the client said it should, blocked or not, and leaves nothing behind', async (t) => {
  const { put, watch, clock, fanOut } = watchScene(t)
  const { reader } = watch({ timeoutSeconds: 90, allowBookmarks: true })
  const blocked = watch({ timeoutSeconds: 90 }).reader
  blocked.isPaused = true
  await put('a', '1')
  await put('a', '2')
  await clock.advance('89s')
  assert.deepEqual([reader.isOver, blocked.isOver], [false, false])
  await clock.advance('1s')
  assert.deepEqual([reader.isOver, blocked.isOver, blocked.frames.length], [true, true, 1])
  assert.deepEqual([fanOut.size, clock.nextDue], [0, undefined])
})

test('where the client names no end, there is one all the same', async (t) => {
  const { watch, clock } = watchScene(t)
  const readers = [watch().reader, watch({ timeoutSeconds: 0 }).reader]
  await clock.advance('44m')
  assert.ok(readers.every(({ isOver }) => !isOver))
  await clock.advance('1m')
  assert.ok(readers.every(({ isOver }) => isOver))
})

test('disposing ends it at once, whatever it is doing', async (t) => {
  const { put, watch, fanOut, clock } = watchScene(t)
  await put('a', '1')
  await put('b', '1')
  const unread = watch({ allowBookmarks: true })
  unread.watch[Symbol.dispose]()
  unread.watch[Symbol.dispose]()
  const paused = new Reader()
  paused.room = 1
  const between = watch({}, paused)
  const first = new Reader()
  const inside = watch({}, first)
  first.take = (frame) => {
    inside.watch[Symbol.dispose]()
    return Reader.prototype.take.call({ ...first, isOver: false }, frame)
  }
  await clock.settle()
  between.watch[Symbol.dispose]()
  between.resume()
  await put('c', '1')
  assert.deepEqual(unread.reader.frames, [])
  assert.deepEqual(paused.told, ['ADDED a=1 @1'])
  assert.ok(unread.reader.isOver && paused.isOver && first.isOver)
  assert.deepEqual([fanOut.size, clock.nextDue], [0, undefined])
})

test('a watch that cannot go on says so, is logged and ends; others, and the process, do not notice', async (t) => {
  const { put, watch, fanOut, lines } = watchScene(t)
  const broken = served(
    aKind('', 'ConfigMap', 'configmaps', {
      versions: [
        {
          name: 'v1',
          schema: {},
          columns: [],
          selectable: {
            broken: ({ metadata }) => (metadata.name === 'bad' ? assert.fail('secret reasons') : 'yes'),
          },
        },
      ],
    }),
  )
  const asked = { fieldSelector: 'broken=yes' }
  const live = watch(asked, new Reader(), broken).reader
  const other = watch().reader
  await put('good', '1')
  await put('bad', '1')
  const initial = watch(asked, new Reader(), broken).reader
  const past = watch({ ...asked, resourceVersion: 1 }, new Reader(), broken).reader
  await put('good', '2')
  const failure = 'ERROR 500 Internal error occurred: see the log of the control plane'
  assert.deepEqual(live.told, ['ADDED good=1 @1', failure])
  assert.deepEqual(initial.told, [failure])
  assert.deepEqual(past.told, [failure])
  assert.deepEqual(other.told, ['ADDED good=1 @1', 'ADDED bad=1 @2', 'MODIFIED good=2 @3'])
  assert.ok(live.isOver && initial.isOver && past.isOver)
  assert.deepEqual([fanOut.size, lines.length], [1, 3])
  assert.match(lines[0] ?? '', /"storage":"configmaps".*"msg":"a watch failed"/)
})

test('a failure that is the caller’s to know is told as it is, and not logged', async (t) => {
  const { watch, lines } = watchScene(t)
  const { watch: failing, reader } = watch()
  failing.fail(badRequest('cannot convert'))
  failing.fail(badRequest('again'))
  assert.deepEqual([reader.told, reader.isOver, lines], [['ERROR 400 cannot convert'], true, []])
})
