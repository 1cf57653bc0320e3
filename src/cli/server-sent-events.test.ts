import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsIn } from './server-sent-events.ts'

async function* parts(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('events are found however the stream is cut, and comments are none', async () => {
  const text =
    ': here\n\nid: 7.1\nevent: approved\ndata: {"who":\ndata: "Zoë"}\n\n: still here\n\nid: 7.2\n\ndata: 3\r\n\r\ndata: cut'
  for (const size of [1, 2, 5, 1_000])
    assert.deepEqual(await Array.fromAsync(eventsIn(parts(text, size))), [
      { id: '7.1', event: 'approved', data: { who: 'Zoë' } },
      { id: '7.2' },
      { data: 3 },
    ])
})
