import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { after } from '../../../core/clock.ts'
import { reasons } from '../../../core/reasons.ts'
import { Secret } from '../../../core/secret.ts'
import { certificatePass } from '../../../fleet/csr/issuance.ts'
import { agentSubject } from '../../../fleet/csr/request.ts'
import { secrets } from '../../../kube/kinds.ts'
import { createAuthority, generateKey, issueCertificate, readCertificate } from '../../../pki/index.ts'
import { holds, hubSecretKeep } from './agent-secret.ts'

async function scene() {
  const clock = new FakeClock('2026-01-01T00:00:00Z')
  const kube = new MemoryKube(clock)
  const place = { kube, namespace: 'here', name: 'hub' }
  const keep = hubSecretKeep({ ...place, cluster: 'west', agent: 'a1' })
  const { keyPem, publicKeyPem } = generateKey()
  const authority = await createAuthority({ commonName: 'ca', clock, lifetimeMs: 86_400_000 })
  const terms = {
    usages: ['client'] as const,
    notBefore: after(clock.now(), -300_000),
    notAfter: after(clock.now(), 600_000),
  }
  const certPem = await issueCertificate(authority, { subject: agentSubject('west', 'a1'), publicKeyPem }, terms)
  const stanza = {
    name: 'hub',
    server: 'https://hub.example.com',
    ca: authority.certPem,
    proxyUrl: Secret.of('http://p:1'),
  }
  const facts = { id: 'join/west', kind: 'join', holder: 'west', issuer: 'hub', keptIn: 'secret/here/hub' } as const
  const pass = {
    ...certificatePass(facts, readCertificate(certPem), clock.now()),
    renewAt: after(clock.now(), 450_000),
  }
  const kept = { pass, material: { certPem, keyPem, stanza } }
  return { kube, place, keep, kept, pass, collection: kube.of(secrets, 'here') }
}

test('what is saved comes back whole, with the moment of its renewal', async () => {
  const { keep, kept, collection } = await scene()
  await keep.save(kept)
  const { kept: loaded } = await keep.load()
  assert.deepEqual(loaded?.pass, kept.pass)
  assert.equal(loaded?.material.certPem, kept.material.certPem)
  assert.equal(loaded?.material.stanza.proxyUrl?.reveal(), 'http://p:1')
  assert.equal(holds(await collection.get('hub'), kept.material), true)
})

test('a pending request and its refusal survive, and go with the write that saves the pass', async () => {
  const { keep, kept, collection } = await scene()
  const at = new Date('2026-01-01T00:00:00Z')
  const pending = {
    name: 'west-1',
    createdAt: at,
    material: Secret.of('key'),
    refusals: 2,
    refused: { reason: reasons.IssuerDenied, at, retryAt: after(at, 10_000), message: 'no' },
  }
  await keep.savePending(pending)
  const { pending: loaded } = await keep.load()
  assert.equal(loaded?.material?.reveal(), 'key')
  assert.deepEqual({ ...loaded, material: undefined }, { ...pending, material: undefined })
  await keep.save(kept)
  assert.equal((await keep.load()).pending, undefined)
  assert.equal((await collection.get('hub')).data?.['pending'], undefined)
})

test('keys of others stay', async () => {
  const { keep, kept, collection } = await scene()
  await collection.create({ metadata: { name: 'hub' }, data: { other: 'eA==' } })
  await keep.save(kept)
  assert.equal((await collection.get('hub')).data?.['other'], 'eA==')
})

test('what is damaged or for somebody else counts as absent', async () => {
  const { keep, kept, collection, place } = await scene()
  assert.deepEqual(await keep.load(), {})
  for (const key of ['kubeconfig', 'tls.crt', 'tls.key', 'cluster-name', 'agent-name', 'pending']) {
    await keep.save(kept)
    await collection.patch('hub', { type: 'merge', body: { data: { [key]: 'Ont7' } } })
    const loaded = await keep.load()
    assert.equal(loaded.kept !== undefined, key === 'pending', key)
    assert.equal(loaded.pending, undefined)
  }
  await keep.save(kept)
  for (const other of [
    { cluster: 'west2', agent: 'a1' },
    { cluster: 'west', agent: 'a2' },
  ])
    assert.equal((await hubSecretKeep({ ...place, ...other }).load()).kept, undefined)
})
