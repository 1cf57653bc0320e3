import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Handshakes } from './handshakes.ts'

const forever = new AbortController().signal
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('four at a time, then in the order they came; each other issuer has its own', async () => {
  const handshakes = new Handshakes()
  const begun: number[] = []
  const ends: (() => void)[] = []
  for (let number = 0; number < 7; number++)
    void handshakes.begin('https://one', forever).then((end) => {
      begun.push(number)
      ends.push(end)
    })
  await settled()
  assert.deepEqual(begun, [0, 1, 2, 3])
  await handshakes.begin('https://other', forever)
  ends[0]?.()
  ends[0]?.()
  await settled()
  assert.deepEqual(begun, [0, 1, 2, 3, 4], 'to end twice is to end once')
  ends[1]?.()
  ends[2]?.()
  await settled()
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6])
})

test('who gave up has no turn, and takes none from others', async () => {
  const handshakes = new Handshakes()
  const ends = await Promise.all([1, 2, 3, 4].map(() => handshakes.begin('https://one', forever)))
  const patience = new AbortController()
  const impatient = handshakes.begin('https://one', patience.signal)
  const next = handshakes.begin('https://one', forever)
  patience.abort(new Error('no longer'))
  await assert.rejects(impatient, /no longer/)
  ends[0]?.()
  await next
})
