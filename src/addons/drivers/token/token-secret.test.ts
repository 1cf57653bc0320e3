import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { kubeFailure } from '../../../../test/support/memory-kube-parts.ts'
import { after } from '../../../core/clock.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Pass } from '../../../core/pass.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { Secret } from '../../../core/secret.ts'
import { fingerprintOf } from '../../../fleet/account-token.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import { aToken } from '../../../fleet/testing/account-tokens.ts'
import { secrets } from '../../../kube/kinds.ts'
import { tokenSecretKeep } from './token-secret.ts'

const facts = {
  id: 'x',
  kind: 'addon',
  holder: 'west/logs',
  issuer: 'hub',
  keptIn: 'secret/apps/logs-hub-kubeconfig',
  state: coreReasons.PassIssued,
} as const
const place = { namespace: 'apps', name: 'logs-hub-kubeconfig' }
const labels = { addon: 'logs' }

function scene() {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const common = { kube, secret: place, labels, cluster: 'west', account: 'logs-agent', facts, clock }
  const keep = tokenSecretKeep({ ...common, kubeconfig: Secret.of('kubeconfig') })
  const elsewhere = tokenSecretKeep({ ...common, kubeconfig: Secret.of('another') })
  const collection = kube.of(secrets, place.namespace)
  /** Granted by a hub whose clock differs. */
  const granted = (skewMs = 0) => {
    const issuedAt = after(clock.now(), skewMs)
    const expiresAt = after(issuedAt, 600_000)
    const token = aToken({ namespace: 'west', account: 'logs-agent', uid: '1', issuedAt, expiresAt })
    const pass: Pass = {
      ...facts,
      issuedAt: clock.now(),
      expiresAt: after(clock.now(), 600_000),
      renewAt: after(clock.now(), 480_000),
      fingerprint: fingerprintOf(token),
    }
    return { pass, material: { token, uid: '1', expiresAt } }
  }
  const patch = (body: object) => collection.patch(place.name, { type: 'merge', body })
  return { clock, kube, keep, elsewhere, collection, granted, patch }
}

test('what is saved is loaded again, with the dates of this machine', async () => {
  for (const skewMs of [0, 7_200_000, -7_200_000]) {
    const { keep, granted } = scene()
    const given = granted(skewMs)
    await keep.save(given)
    const { kept } = await keep.load()
    assert.deepEqual(kept?.pass, given.pass)
    assert.ok(kept?.material.token.equals(given.material.token))
    assert.deepEqual(kept?.material.expiresAt, given.material.expiresAt)
  }
})

test('the Secret has what the contract names, and keeps what others put there; nothing of a certificate stays', async () => {
  const { collection, keep, granted } = scene()
  const text = (value: string) => Buffer.from(value).toString('base64')
  const data = { other: text('kept'), 'tls.crt': text('c'), 'tls.key': text('k'), pending: text('p') }
  await collection.create({ metadata: { name: place.name, labels: { theirs: 'x' } }, data })
  const given = granted()
  await keep.save(given)
  const stored = await collection.get(place.name)
  const texts = Object.keys(stored.data ?? {}).map((key) => [key, textOf(stored.data ?? {}, key)])
  assert.deepEqual(Object.fromEntries(texts), {
    other: 'kept',
    token: given.material.token.reveal(),
    expiration: '2026-01-01T00:10:00Z',
    'service-account-uid': '1',
    'cluster-name': 'west',
    kubeconfig: 'kubeconfig',
  })
  assert.deepEqual(stored.metadata.labels, { theirs: 'x', addon: 'logs' })
})

test('a Secret that somebody else wrote goes by what its token says', async () => {
  const { clock, keep, granted, patch } = scene()
  const given = granted()
  await keep.save(given)
  await patch({ metadata: { annotations: null } })
  const { kept } = await keep.load()
  assert.deepEqual([kept?.pass.issuedAt, kept?.pass.expiresAt], [clock.now(), after(clock.now(), 600_000)])
  assert.equal(kept?.pass.renewAt, undefined)
})

test('a token that is not the one on record is damaged, also where only its signature is', async () => {
  const { keep, granted, patch } = scene()
  const given = granted()
  await keep.save(given)
  const [header, payload] = given.material.token.reveal().split('.')
  await patch({ data: { token: Buffer.from(`${header}.${payload}.damaged`).toString('base64') } })
  assert.deepEqual(await keep.load(), {})
})

test('a receipt that is still to come was recorded before the clock was set back: it does not count', async () => {
  const { clock, keep, granted } = scene()
  const start = clock.now()
  await clock.jumpTo(after(start, 86_400_000))
  const given = granted(-86_400_000)
  await keep.save(given)
  await clock.jumpTo(after(start, 1_000))
  const { kept } = await keep.load()
  assert.deepEqual([kept?.pass.issuedAt, kept?.pass.expiresAt], [start, after(start, 600_000)])
})

test('for a hub that is reached in another way nothing is kept', async () => {
  const { keep, elsewhere, granted } = scene()
  await keep.save(granted())
  assert.deepEqual(await elsewhere.load(), {})
})

test('a Secret without its label is not one whose changes are heard of: it counts as damaged', async () => {
  const { keep, granted, patch } = scene()
  await keep.save(granted())
  await patch({ metadata: { labels: { addon: null } } })
  assert.deepEqual(await keep.load(), {})
})

test('a failure to keep it says what to do, and nothing of the token', async () => {
  const { kube, keep, granted } = scene()
  const cases = [
    [kubeFailure(404, 'NotFound', 'apps'), 'ADDON_TOKEN_NO_NAMESPACE'],
    [kubeFailure(403, 'Forbidden', 'apps'), 'ADDON_TOKEN_NOT_KEPT'],
  ] as const
  for (const [error, code] of cases) {
    kube.failNext(2, error, 'patch', 'create')
    const given = granted()
    await assert.rejects(keep.save(given), (thrown) => {
      assert.ok(isFailure(thrown, code))
      assert.ok(!thrown.message.includes(given.material.token.reveal()))
      return true
    })
    kube.recover()
  }
})
