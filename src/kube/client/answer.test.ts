import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Answer } from './answer.ts'

const packed = { 'content-encoding': 'gzip' }
const text = (answer: Answer, headers: Record<string, string>, ...chunks: Buffer[]) => {
  answer.onAnswer(200, headers)
  for (const chunk of chunks) answer.onData(chunk)
  return answer.text()
}
const ignore = () => {}

test('a body longer than is kept is cut off as it arrives', async () => {
  const told: string[] = []
  const answer = new Answer(() => told.push('done'), { mostBytes: 1_000 })
  answer.exchange = { cancel: () => told.push('cancelled'), pause: ignore, resume: ignore }
  assert.equal(await text(answer, {}, Buffer.alloc(1_000, 'x'), Buffer.alloc(1, 'x')), undefined)
  assert.deepEqual(told, ['cancelled', 'done'])
  assert.equal((await text(new Answer(ignore, { mostBytes: 1_000 }), {}, Buffer.alloc(1_000, 'x')))?.length, 1_000)
})

test('a packed body is unpacked to no more than is kept', async () => {
  const options = { packed: true, mostBytes: 1_000 }
  assert.equal((await text(new Answer(ignore, options), packed, gzipSync('x'.repeat(1_000))))?.length, 1_000)
  assert.equal(await text(new Answer(ignore, options), packed, gzipSync('x'.repeat(1_001))), undefined)
})

test('what is packed though nobody asked for it is not unpacked', async () => {
  assert.equal(await text(new Answer(ignore), packed, gzipSync('{}')), undefined)
})
