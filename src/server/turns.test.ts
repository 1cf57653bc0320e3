import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issueForClient, testAuthority } from '../../test/support/control-plane/identities.ts'
import { eventually } from '../../test/support/eventually.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isFailure } from '../core/failure.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import type { Question } from './testing/ask.ts'
import { ask } from './testing/ask.ts'
import { servingScene } from './testing/scene.ts'
import { shortBytes, Turns } from './turns.ts'

const headers = { 'content-type': 'application/json' }
const codeOf = (body: string) => JSON.parse(body).code
const running = new AbortController().signal
const long = shortBytes + 1

/** Turns that are taken, by name and in order; each goes on until it is ended. */
function queue() {
  const clock = new FakeClock()
  const turns = new Turns(clock)
  const order: string[] = []
  const ends = new Map<string, () => void>()
  const take = async (name: string, bytes: number, signal = running) => {
    const turn = await turns.take(bytes, signal)
    order.push(name)
    ends.set(name, () => turn[Symbol.dispose]())
  }
  return { clock, order, take, end: (name: string) => ends.get(name)?.() }
}

describe('turns', () => {
  test('F12j: after a long body there is a pause of five times the work, and then the shortest that waits is next', async () => {
    const { clock, order, take, end } = queue()
    await take('first', long)
    const others = [take('8 MiB', 8 * 1024 * 1024), take('100 KiB', 100 * 1024)]
    await clock.advance(100)
    assert.deepEqual(order, ['first'])
    end('first')
    await clock.advance(499)
    assert.deepEqual(order, ['first'])
    await clock.advance(1)
    assert.deepEqual(order, ['first', '100 KiB'])
    end('100 KiB')
    // Work that took no time that could be measured.
    await clock.advance(4)
    assert.deepEqual(order, ['first', '100 KiB'])
    await clock.advance(1)
    assert.deepEqual(order, ['first', '100 KiB', '8 MiB'])
    await Promise.all(others)
  })

  test('F12k: a short body waits for no long one; short ones pause for twice their work once that is 20 ms', async () => {
    const { clock, order, take } = queue()
    await take('long', long)
    for (const name of ['a', 'b', 'c']) await take(name, 1_000)
    assert.deepEqual(order, ['long', 'a', 'b', 'c'])
    await clock.settle()
    const slow = take('slow', 1_000)
    // Its work: the clock goes on before the event loop does.
    await slow
    const over = clock.jumpTo(new Date(clock.now().getTime() + 30))
    const next = take('next', 1_000)
    await over
    await clock.advance(59)
    assert.equal(order.includes('next'), false)
    await clock.advance(1)
    await next
  })

  test('F12l: who waits 8 seconds, or goes away, is given up; a turn that waits for others is over after a second', async () => {
    const { clock, order, take, end } = queue()
    const gone = new AbortController()
    await take('held', long)
    const left = assert.rejects(take('gone', long, gone.signal), /went away/)
    gone.abort(new Error('went away'))
    await left
    const next = take('next', long)
    const busy = assert.rejects(take('late', long + 1), (error) => isFailure(error, 'SERVER_BUSY'))
    await clock.advance('6s')
    await next
    // Its turn has been over for long: that ends nobody else's.
    end('held')
    await clock.advance('2s')
    await busy
    assert.deepEqual(order, ['held', 'next'])
  })
})

const review = (uid: string, bytes = 0) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid, operation: 'CREATE', userInfo: { username: 'a' }, object: { text: 'x'.repeat(bytes) } },
})

/** A webhook that lets all pass, and tells in which order it was asked. */
function orderedWebhook() {
  const order: string[] = []
  const webhook: AdmissionWebhook = {
    ...{ type: 'validating', name: 'test', path: '/admit', rules: [] },
    decide: async ({ uid }) => {
      order.push(uid)
      return { allowed: true }
    },
  }
  return { order, webhook }
}

describe('work for clients without a certificate', () => {
  test('F12m: what nests deeper than 150 levels is refused before it is parsed, and 150 are not', async (t) => {
    const { order, webhook } = orderedWebhook()
    const scene = await servingScene(t, { webhooks: [webhook], convert: () => assert.fail('it was converted') })
    // It is no JSON, and that is not found out.
    for (const path of ['/admit', '/convert']) {
      const { status, body } = await scene.ask(path, { method: 'POST', headers, body: '['.repeat(151) })
      assert.deepEqual([status, codeOf(body)], [400, 'SERVER_TOO_DEEP'], path)
    }
    const nested = (levels: number) => {
      const { request } = review('deep')
      const object = JSON.parse('['.repeat(levels - 2) + ']'.repeat(levels - 2))
      return { ...review('deep'), request: { ...request, object } }
    }
    assert.equal((await scene.post('/admit', nested(151))).status, 400)
    assert.deepEqual(order, [])
    assert.equal((await scene.post('/admit', nested(150))).status, 200)
  })

  test('F12n: a short review is decided before long ones that came earlier', async (t) => {
    const { order, webhook } = orderedWebhook()
    const scene = await servingScene(t, { webhooks: [webhook], convert: (asked) => asked })
    const first = await scene.post('/admit', review('first', long))
    assert.equal(first.status, 200)
    const later = ['second', 'third'].map((uid) => scene.post('/admit', review(uid, long)))
    assert.equal((await scene.post('/admit', review('short'))).status, 200)
    // They would have been decided by now, had they been asked about.
    for (let count = 0; count < 5; count += 1) assert.equal((await scene.post('/admit', review('short'))).status, 200)
    assert.deepEqual([...new Set(order)], ['first', 'short'])
    await eventually('they have their turns', async () => {
      await scene.clock.advance(5)
      return order.includes('second') && order.includes('third')
    })
    for (const { status } of await Promise.all(later)) assert.equal(status, 200)
  })

  for (const [what, limits] of [
    ['bodies', { connections: 100, bodyBytes: 256 * 1024 }],
    ['connections', { connections: 3, bodyBytes: 64 * 1024 * 1024 }],
  ] as const)
    test(`F12q: the ${what} of long reviews that wait for their turns make room for others`, async (t) => {
      const { order, webhook } = orderedWebhook()
      const scene = await servingScene(t, { webhooks: [webhook], limits })
      assert.equal((await scene.post('/admit', review('first', long))).status, 200)
      const refused: unknown[] = []
      for (let count = 0; count < 8; count += 1)
        void scene.post('/admit', review('waits', 80_000)).then(
          ({ status }) => refused.push(status),
          () => refused.push('cut off'),
        )
      await eventually('there is no room for more', () => refused.length >= 5)
      assert.deepEqual([...new Set(refused)], [what === 'bodies' ? 503 : 'cut off'])
      for (let count = 0; count < 5; count += 1)
        assert.equal((await scene.post('/admit', review('short', 40_000))).status, 200)
      assert.deepEqual([...new Set(order)], ['first', 'short'])
    })

  test('F12o: a client that has shown the certificate of an API server takes no turns; conversion does', async (t) => {
    const authority = await testAuthority('apiserver-client-ca')
    const { certPem, keyPem } = await issueForClient(authority, { commonName: 'kube-apiserver' })
    const { order, webhook } = orderedWebhook()
    const converted: string[] = []
    const scene = await servingScene(t, {
      webhooks: [webhook],
      callers: { ca: async () => authority.certPem, names: [] },
      convert: async (asked, giveWay) => {
        const { uid } = (asked as ReturnType<typeof review>).request
        converted.push(uid)
        if (uid === 'first') await giveWay()
        return asked
      },
    })
    const post = (path: string, uid: string, own: Question = {}) =>
      ask(`${scene.url}${path}`, scene.caPem, {
        ...{ method: 'POST', headers, body: JSON.stringify(review(uid, long)) },
        ...own,
      })
    const first = post('/convert', 'first')
    await eventually('it is converted', () => converted.length === 1)
    const second = post('/convert', 'second')
    const own = { cert: certPem, key: keyPem.reveal() }
    for (const uid of ['a', 'b', 'c']) assert.equal((await post('/admit', uid, own)).status, 200)
    assert.deepEqual(order, ['a', 'b', 'c'])
    assert.deepEqual(converted, ['first'])
    await eventually('both have their turns', async () => {
      await scene.clock.advance(5)
      return converted.includes('second')
    })
    let isOver = false
    void first.then(() => {
      isOver = true
    })
    await eventually('the first goes on', async () => {
      await scene.clock.advance(5)
      return isOver
    })
    for (const { status } of await Promise.all([first, second])) assert.equal(status, 200)
  })
})
