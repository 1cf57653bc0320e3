import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { reasons } from '../../core/reasons.ts'
import { Secret } from '../../core/secret.ts'
import type { TokenClaims } from '../../fleet/account-token.ts'
import { fingerprintOf } from '../../fleet/account-token.ts'
import { handoverAccount, handoverSecret } from '../../fleet/spoke/names.ts'
import { aToken } from '../../fleet/testing/account-tokens.ts'
import { secrets } from '../../kube/kinds.ts'
import { formatHandover, tokenIn } from './kubeconfig.ts'
import { clearShelf, handoverShelf } from './shelf.ts'

const now = new Date('2026-01-01T12:00:00Z')
const claims: TokenClaims = {
  namespace: 'agents',
  account: handoverAccount,
  uid: 'u1',
  issuedAt: now,
  expiresAt: new Date('2026-01-01T13:00:00Z'),
}
const address = { server: 'https://west.example.com', caPem: 'PEM' }
const facts = {
  id: 'reach/west',
  kind: 'reach',
  holder: 'hub',
  issuer: 'west',
  keptIn: 'secret/west/lanyard-reach',
  state: reasons.PassIssued,
} as const

async function scene(change: Partial<typeof address> = {}) {
  const clock = new FakeClock(now)
  const hub = new MemoryKube(clock)
  await hub.of(secrets, 'west').create({ metadata: { name: handoverSecret } })
  const shelf = handoverShelf({
    hub,
    cluster: 'west',
    namespace: 'agents',
    address: { ...address, ...change },
    facts,
    clock,
  })
  const put = async (kubeconfig: string) => {
    const data = { value: Buffer.from(kubeconfig).toString('base64') }
    await hub.of(secrets, 'west').patch(handoverSecret, { type: 'merge', body: { data } })
  }
  const pass = (token: Secret) => ({
    ...facts,
    issuedAt: now,
    expiresAt: claims.expiresAt,
    fingerprint: fingerprintOf(token),
  })
  return { hub, shelf, put, pass }
}

test('what is put there comes back, with when it came and is renewed', async () => {
  const { shelf, pass } = await scene()
  const token = aToken(claims)
  const renewAt = new Date('2026-01-01T12:46:00Z')
  await shelf.save({ pass: { ...pass(token), renewAt }, material: { token, uid: 'u1' } })
  const { kept } = await shelf.load()
  assert.ok(kept?.material.token.equals(token))
  assert.deepEqual(kept?.pass, { ...pass(token), renewAt })
})

test('what is damaged, for another address, or of another account counts as nothing', async () => {
  const other = formatHandover('west', { ...address, server: 'https://elsewhere' }, aToken(claims)).reveal()
  const foreign = formatHandover('west', address, aToken({ ...claims, account: 'admin' })).reveal()
  for (const text of ['', 'nonsense', '{}', other, foreign]) {
    const { shelf, put } = await scene()
    await put(text)
    assert.deepEqual(await shelf.load(), {}, text)
  }
})

test('a Secret that is not there is not made, and no answer of the hub is repeated', async () => {
  const { hub, shelf, pass } = await scene()
  await hub.of(secrets, 'west').delete(handoverSecret)
  const token = aToken(claims)
  await assert.rejects(shelf.save({ pass: pass(token), material: { token, uid: 'u1' } }), {
    code: 'HANDOVER_NOT_KEPT',
    message: /404 NotFound/,
  })
  assert.equal(await hub.of(secrets, 'west').find(handoverSecret), undefined)
  await clearShelf(hub, 'west', AbortSignal.timeout(1_000))
})

test('what is taken back is gone, and the Secret stays', async () => {
  const { hub, shelf, pass } = await scene()
  const token = aToken(claims)
  await shelf.save({ pass: pass(token), material: { token, uid: 'u1' } })
  await clearShelf(hub, 'west', AbortSignal.timeout(1_000))
  assert.deepEqual(await shelf.load(), {})
  assert.ok(await hub.of(secrets, 'west').find(handoverSecret))
})

test('a kubeconfig holds the address, who vouches for it, and one token; no file and no program', () => {
  const kubeconfig = formatHandover('west', { ...address, tlsServerName: 'west' }, Secret.of('t'))
  assert.equal(tokenIn(kubeconfig)?.reveal(), 't')
  const text = kubeconfig.reveal()
  for (const part of ['server: https://west.example.com', 'tls-server-name: west', 'certificate-authority-data:'])
    assert.ok(text.includes(part), part)
  assert.ok(!/exec|tokenFile|client-/.test(text))
})
