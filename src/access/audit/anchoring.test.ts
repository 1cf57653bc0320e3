import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube, unreachable } from '../../../test/support/memory-kube.ts'
import { silentLog } from '../../core/log.ts'
import { anchoring } from './anchoring.ts'
import { readAuditHeads } from './heads.ts'

function anchors(t: TestContext) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const keeping = anchoring({ kube, namespace: 'lanyard', replica: 'r1', clock, log: silentLog })
  const ending = new AbortController()
  const over = keeping.run(ending.signal)
  t.after(async () => {
    ending.abort()
    await clock.settle()
    await over
  })
  const chain = (writer: string) => {
    const head = { seq: 0, hash: '' }
    return { head, chain: { writer, sink: 'log', delivered: () => ({ ...head }), isAtRest: () => writer === 'a' } }
  }
  const heads = async () => (await readAuditHeads(kube, 'lanyard')).map(({ writer, seq }) => `${writer} ${seq}`).sort()
  return { clock, kube, keeping, chain, heads, signal: ending.signal }
}

test('a writer is on record before it writes, and how far it got soon after', async (t) => {
  const { clock, kube, keeping, chain, heads, signal } = anchors(t)
  const [a, b] = [chain('a'), chain('b')]
  await keeping.introduce(a.chain, signal)
  assert.deepEqual(await heads(), ['a 0'])
  Object.assign(a.head, { seq: 5, hash: 'h5' })
  keeping.poke()
  await clock.advance(3_000)
  assert.deepEqual(await heads(), ['a 5'])
  await keeping.introduce(b.chain, signal)
  assert.deepEqual(await heads(), ['a 5', 'b 0'])
  Object.assign(b.head, { seq: 1, hash: 'h1' })
  await keeping.last()
  assert.deepEqual(await heads(), ['a 5', 'b 1'])
  // Of the other nobody knows whether more of it is under way.
  const final = (await readAuditHeads(kube, 'lanyard')).map((head) => head.final)
  assert.deepEqual(final, [true, undefined])
})

test('that a writer is still there shows also while it writes nothing', async (t) => {
  const { clock, kube, keeping, chain, signal } = anchors(t)
  await keeping.introduce(chain('a').chain, signal)
  for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000)
  const [head] = await readAuditHeads(kube, 'lanyard')
  assert.ok(clock.now().getTime() - Date.parse(head?.at ?? '') <= 70_000)
})

test('what cannot be noted is told to whoever is about to write, and noted later', async (t) => {
  const { clock, kube, keeping, chain, heads, signal } = anchors(t)
  const a = chain('a')
  kube.failNext(1, unreachable(), 'patch')
  await assert.rejects(keeping.introduce(a.chain, signal), { code: 'KUBE_UNREACHABLE' })
  assert.deepEqual(await heads(), [])
  await keeping.introduce(a.chain, signal)
  Object.assign(a.head, { seq: 2, hash: 'h2' })
  kube.failNext(1, unreachable(), 'patch')
  keeping.poke()
  await clock.advance(6_000)
  assert.deepEqual(await heads(), ['a 2'])
})

test('a hub that does not answer keeps nobody for long', async (t) => {
  const { clock, kube, keeping, chain, signal } = anchors(t)
  kube.delayMs = 60_000
  const refused = assert.rejects(keeping.introduce(chain('a').chain, signal), { code: 'AUDIT_WRITER_UNANCHORED' })
  await clock.advance(5_000)
  await refused
})
