import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { longReview } from '../../../test/support/long-reviews.ts'
import { LongBodies } from './long-bodies.ts'
import { readReview, reviewLimitBytes } from './read-review.ts'

const asked = { user: 'dev', verb: 'list', namespace: 'shop' }
const mebibyte = 2 ** 20

/** Comes in pieces, as from a socket, and counts what was taken of it. */
function bodyOf(bytes: Buffer, pieceBytes = 16_384) {
  let at = 0
  const body = new Readable({
    highWaterMark: 65_536,
    read() {
      const piece = bytes.subarray(at, at + pieceBytes)
      at += piece.length
      this.push(piece.length > 0 ? piece : null)
    },
  })
  return { body, taken: () => Math.max(0, Math.min(at, bytes.length) - body.readableLength) }
}

function scene() {
  const clock = new FakeClock()
  const bodies = new LongBodies(clock)
  const send = (
    cluster: string,
    bytes: Buffer,
    { withinMs = 1_000, length = bytes.length as number | undefined } = {},
  ) => {
    const { body, taken } = bodyOf(bytes)
    const sent = { taken, result: undefined as Awaited<ReturnType<typeof readReview>> | undefined }
    void readReview(body, length, { cluster, clock, bodies, withinMs }).then((found) => (sent.result = found))
    return sent
  }
  return { clock, bodies, send }
}

const long = longReview(asked, 32 * 1_024)

test('a long body is read a slice at a time, and all that is wanted of it is there', async () => {
  const { clock, send } = scene()
  for (const length of [long.length, undefined]) {
    const sent = send('west', long, { length })
    await clock.advance(0)
    const slice = sent.taken()
    assert.ok(slice > 0 && slice < 2 * 131_072 + 65_536, `${slice} bytes at once`)
    await clock.advance(10)
    assert.ok(typeof sent.result === 'object', String(sent.result))
    const { user, verb, resource } = sent.result.asked
    assert.deepEqual([user, verb, resource?.resource, resource?.namespace], ['dev', 'list', 'secrets', 'shop'])
  }
  assert.equal(clock.nextDue, undefined, 'no timer is left')
})

test('F3a: a cluster that sends many long bodies is late for its own, and another waits for a slice at most', async () => {
  const { clock, send } = scene()
  const longest = longReview(asked, mebibyte)
  const many = Array.from({ length: 64 }, () => send('west', longest))
  await clock.advance(10)
  const begunBefore = many.filter(({ taken }) => taken() > 0).length
  assert.ok(begunBefore <= 2, `${begunBefore} are read at once`)
  const own = send('east', long)
  await clock.advance(24)
  assert.equal(typeof own.result, 'object', 'as long as its own turns take beside those of one other')
  await clock.advance(966)
  assert.ok(many.every(({ result }) => result !== undefined))
  const [read, late] = [
    many.filter(({ result }) => typeof result === 'object'),
    many.filter(({ result }) => result === 'late'),
  ]
  assert.ok(read.length > 0 && read.length + late.length === 64, `${read.length} read, ${late.length} late`)
  assert.ok(
    late.filter(({ taken }) => taken() > 0).length <= 2,
    'of those that are late nothing was read but of the last',
  )
  assert.equal(typeof (await finished(clock, send('west', long))), 'object', 'the next has its turn')
})

test('a cluster that goes on sending long bodies has a quarter of the speed, and another has all of it meanwhile', async () => {
  const { clock, send } = scene()
  const longest = longReview(asked, mebibyte)
  /** How much is read of 64 long bodies in so many seconds, in MiB. */
  const readIn = async (seconds: number) => {
    let bytes = 0
    for (let second = 0; second < seconds; second++) {
      const many = Array.from({ length: 64 }, () => send('west', longest))
      await clock.advance(1_000)
      bytes += many.reduce((sum, { taken }) => sum + taken(), 0)
    }
    return bytes / mebibyte
  }
  assert.ok((await readIn(1)) > 50, 'at first as fast as anybody')
  await readIn(1)
  const sustained = await readIn(4)
  assert.ok(sustained > 48 && sustained < 80, `${sustained} MiB in 4 s`)
  const many = Array.from({ length: 64 }, () => send('west', longest))
  const own = send('east', longReview(asked, 256 * 1_024))
  await clock.advance(150)
  assert.equal(typeof own.result, 'object')
  await clock.advance(10_000)
  assert.ok(many.every(({ result }) => result !== undefined))
  assert.ok((await readIn(1)) > 50, 'after a pause, as fast as before')
})

async function finished(clock: FakeClock, sent: { result?: unknown }): Promise<unknown> {
  await clock.advance(20)
  return sent.result
}

test('one that comes slowly keeps nobody but its own cluster waiting', async () => {
  const { clock, bodies, send } = scene()
  const stuck = Array.from({ length: 2 }, () => new Readable({ read: () => {} }))
  const found = stuck.map((body) => readReview(body, mebibyte, { cluster: 'west', clock, bodies, withinMs: 500 }))
  assert.equal(typeof (await finished(clock, send('east', long))), 'object')
  const behind = send('west', long)
  await clock.advance(400)
  assert.equal(behind.result, undefined)
  await clock.advance(100)
  assert.deepEqual(await Promise.all(found), ['late', 'late'])
  assert.equal(typeof behind.result, 'object')
})

test('what is too much of one, or too many of them, is not read', async () => {
  const { clock, send, bodies } = scene()
  const { body, taken } = bodyOf(long)
  const limits = { cluster: 'west', clock, bodies, withinMs: 1_000 }
  assert.equal(await readReview(body, reviewLimitBytes + 1, limits), 'too-large')
  assert.equal(taken(), 0)
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(65_536, ' '))
    },
  })
  const reading = readReview(endless, undefined, { ...limits, withinMs: 10_000 })
  await clock.advance(2_000)
  assert.equal(await reading, 'too-large')
  const many = Array.from({ length: 130 }, () => send('west', long))
  await clock.advance(0)
  assert.deepEqual(
    many.map(({ result }) => result).filter((result) => result === 'too-many'),
    ['too-many'],
  )
})
