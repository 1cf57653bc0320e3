import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Answer, failureOf, Room } from './answer.ts'

const packed = { 'content-encoding': 'gzip' }
const text = (answer: Answer, headers: Record<string, string>, ...chunks: Buffer[]) => {
  answer.onAnswer(200, headers)
  for (const chunk of chunks) answer.onData(chunk)
  return answer.text()
}
const ignore = () => {}

const counted = (room: Room) => {
  const told: string[] = []
  const answer = new Answer(() => told.push('done'), { room })
  answer.exchange = { cancel: () => told.push('cancelled'), pause: ignore, resume: ignore }
  return { answer, told }
}

test('a body that there is no room for is cut off as it arrives', async () => {
  const { answer, told } = counted(new Room(2_000))
  assert.equal(await text(answer, {}, Buffer.alloc(1_000, 'x'), Buffer.alloc(1_000, 'x')), undefined)
  assert.deepEqual(told, ['cancelled', 'done'])
  assert.equal(answer.isTooLong, true)
  assert.equal((await text(counted(new Room(2_000)).answer, {}, Buffer.alloc(1_000, 'x')))?.length, 1_000)
})

test('a body that comes byte by byte takes the room that its pieces take in memory', async () => {
  const { answer, told } = counted(new Room(64 * 1_024))
  await text(answer, {}, ...Array.from({ length: 1_024 }, () => Buffer.from('x')))
  assert.deepEqual(told, ['cancelled', 'done'])
})

test('answers under way share their room, and leave it to others', async () => {
  const room = new Room(4_000)
  const first = new Answer(ignore, { room })
  assert.equal((await text(first, {}, Buffer.alloc(3_000, 'x')))?.length, 3_000)
  assert.equal(await text(new Answer(ignore, { room }), {}, Buffer.alloc(1_000, 'x')), undefined)
  first.release()
  assert.equal((await text(new Answer(ignore, { room }), {}, Buffer.alloc(1_000, 'x')))?.length, 1_000)
})

test('a packed body is unpacked to no more than the room there is', async () => {
  const options = () => ({ packed: true, room: new Room(1_000) })
  assert.equal((await text(new Answer(ignore, options()), packed, gzipSync('x'.repeat(1_000))))?.length, 1_000)
  assert.equal(await text(new Answer(ignore, options()), packed, gzipSync('x'.repeat(1_001))), undefined)
})

test('what is packed though nobody asked for it is not unpacked', async () => {
  assert.equal(await text(new Answer(ignore), packed, gzipSync('{}')), undefined)
})

const refusedWith = async (status: object) => {
  const answer = new Answer(ignore)
  answer.onAnswer(403, {})
  answer.onData(Buffer.from(JSON.stringify({ kind: 'Status', ...status })))
  return failureOf(answer, { method: 'GET', path: '/api' })
}

test('of a "no" neither the length nor the shape is taken on trust: it goes into logs, and its reason into conditions', async () => {
  const kind = await refusedWith({ message: 'no', reason: 'Forbidden' })
  assert.deepEqual([kind.message, kind.reason], ['no', 'Forbidden'])
  const long = await refusedWith({ message: 'x'.repeat(2 ** 20), reason: 'Forbidden' })
  assert.ok(long.message.length < 20_000, `${long.message.length}`)
  for (const reason of ['Bearer eyJhbGciOi.1.2', 'x'.repeat(1_000), { a: 1 }, 7, 'a\u001b[2K'])
    assert.equal((await refusedWith({ reason })).reason, 'Unknown')
  assert.equal((await refusedWith({ message: { a: 1 } })).message, 'GET /api was answered with 403')
})
