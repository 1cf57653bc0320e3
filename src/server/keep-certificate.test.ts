import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { after } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { Secret } from '../core/secret.ts'
import { keepCertificate } from './keep-certificate.ts'
import type { ServingCertificate } from './serving-certificate.ts'

const day = 86_400_000

/** Keeps certificates named by their number; each is to be renewed after `renewAfterMs`. */
function kept(t: TestContext, renewAfterMs: number, present: (next: ServingCertificate) => void = () => {}) {
  const clock = new FakeClock()
  const asked: Date[] = []
  const certificate = async () => {
    asked.push(clock.now())
    const renewAt = after(clock.now(), renewAfterMs)
    return { certPem: `number ${asked.length}`, keyPem: Secret.of('key'), renewAt }
  }
  const presented: string[] = []
  const shown = (next: ServingCertificate) => {
    present(next)
    presented.push(next.certPem)
  }
  const ending = new AbortController()
  const first = { certPem: 'first', keyPem: Secret.of('key'), renewAt: after(clock.now(), renewAfterMs) }
  const keeping = keepCertificate({ certificate, clock, log: silentLog }, first, shown, ending.signal)
  t.after(async () => {
    ending.abort()
    await keeping
  })
  return { clock, asked, presented }
}

test('a certificate is renewed when it is due, again and again', async (t) => {
  const { clock, presented } = kept(t, 60 * day)
  await clock.advance('59d')
  assert.deepEqual(presented, [])
  await clock.advance('62d')
  assert.deepEqual(presented, ['number 1', 'number 2'])
})

test('one that cannot be presented is followed by another one a minute later', async (t) => {
  let tries = 0
  const { clock, asked, presented } = kept(t, 60 * day, () => {
    tries += 1
    if (tries === 1) throw new Error('the key does not fit')
  })
  await clock.advance('60d')
  assert.deepEqual([asked.length, presented], [1, []])
  await clock.advance('60s')
  assert.deepEqual([asked.length, presented], [2, ['number 2']])
  await clock.advance('59d')
  assert.equal(asked.length, 2)
})

test('a clock that is set back does not hold up the next look', async (t) => {
  const { clock, asked } = kept(t, 2_000)
  await clock.jumpTo(after(clock.now(), -7_200_000))
  await clock.advance('3s')
  assert.equal(asked.length, 1)
  await clock.advance('20s')
  assert.equal(asked.length, 11)
})
