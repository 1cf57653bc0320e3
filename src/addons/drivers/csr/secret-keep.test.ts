import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { after } from '../../../core/clock.ts'
import { Secret } from '../../../core/secret.ts'
import { certificatePass } from '../../../fleet/csr/issuance.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { formatHubKubeconfig } from '../../../fleet/hub-stanza.ts'
import { labels as fleetLabels } from '../../../fleet/names.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { Sans } from '../../../pki/index.ts'
import { createAuthority, generateKey, issueCertificate, readCertificate } from '../../../pki/index.ts'
import type { RegistrationItem } from '../../registrations.ts'
import { addonOrder } from './order.ts'
import { addonSecretKeep, passFacts } from './secret-keep.ts'
import { aCustomSigner, aKubeClient } from './testing/items.ts'

const hub: HubStanza = { name: 'hub', server: 'https://hub.example.com', ca: 'CA' }

async function scene(item: RegistrationItem = aKubeClient(), sans = addonOrder(item).sans ?? {}) {
  const clock = new FakeClock('2026-01-01T00:00:00Z')
  const spoke = new MemoryKube(clock)
  const keepFor = (other: Partial<RegistrationItem> = {}, at = hub) =>
    addonSecretKeep({ spoke, item: { ...item, ...other }, hub: at })
  const authority = await createAuthority({ commonName: 'ca', clock, lifetimeMs: 86_400_000 })
  const { keyPem, publicKeyPem } = generateKey()
  const terms = { usages: ['client'] as const, notBefore: clock.now(), notAfter: after(clock.now(), 600_000) }
  const { subject } = addonOrder(item)
  const certPem = await issueCertificate(authority, { subject, publicKeyPem, sans }, terms)
  const pass = {
    ...certificatePass(passFacts(item, hub), readCertificate(certPem), clock.now()),
    renewAt: after(clock.now(), 450_000),
  }
  const kept = { pass, material: { certPem, keyPem, kubeconfig: formatHubKubeconfig(hub) } }
  const collection = spoke.of(secrets, item.secret.namespace)
  const change = (body: object) => collection.patch(item.secret.name, { type: 'merge', body })
  return { keepFor, kept, collection, change, spoke, item }
}

test('what is saved comes back whole, and says whose it is', async () => {
  const { keepFor, kept, collection, item } = await scene()
  await keepFor().save(kept)
  const { kept: loaded } = await keepFor().load()
  assert.deepEqual(loaded?.pass, kept.pass)
  const { metadata } = await collection.get(item.secret.name)
  assert.deepEqual(Object.values(metadata.labels ?? {}), ['west', 'logs'])
})

test('another subject, hub or cluster makes it absent; another address does not', async () => {
  const { keepFor, kept } = await scene()
  await keepFor().save(kept)
  const found = async (...of: Parameters<typeof keepFor>) => (await keepFor(...of).load()).kept !== undefined
  assert.equal(await found({ subject: { user: 'other' } }), false)
  assert.equal(await found({}, { ...hub, ca: 'another CA' }), false)
  assert.equal(await found({ cluster: 'west2', subject: aKubeClient().subject }), false)
  assert.equal(await found({}, { ...hub, server: 'https://elsewhere', proxyUrl: Secret.of('http://proxy:1') }), true)
})

test('a certificate without a name of its own will do, one with another will not', async () => {
  const names: [Partial<Sans>, boolean][] = [
    [{}, true],
    [{ dnsNames: ['logs.addon.open-cluster-management.io'] }, true],
    [{ dnsNames: ['metrics.addon.open-cluster-management.io'] }, false],
    [{ uris: ['https://example.com'] }, false],
  ]
  for (const [sans, isFine] of names) {
    const { keepFor, kept } = await scene(aKubeClient(), sans)
    await keepFor().save(kept)
    assert.equal((await keepFor().load()).kept !== undefined, isFine)
  }
})

test('what another signer adds to the names is its own business', async () => {
  const { keepFor, kept } = await scene(aCustomSigner('example.com/s'), { uris: ['spiffe://example.com/logs'] })
  await keepFor().save(kept)
  assert.ok((await keepFor().load()).kept)
})

test('a kubeconfig that is not as it should be is written again, once', async () => {
  const { keepFor, kept, change, spoke } = await scene()
  await keepFor().save(kept)
  await change({ data: { kubeconfig: 'bm8=' } })
  const { kept: loaded } = await keepFor().load()
  assert.equal(loaded?.material.kubeconfig, formatHubKubeconfig(hub))
  const writes = spoke.count('patch')
  await keepFor().load()
  assert.equal(spoke.count('patch'), writes)
})

test('labels without which its changes are not heard of are written again, once, beside the same certificate', async () => {
  for (const asked of [aKubeClient(), aCustomSigner('example.com/s')]) {
    const { keepFor, kept, change, collection, spoke, item } = await scene(asked)
    await keepFor().save(kept)
    const { labels, annotations } = (await collection.get(item.secret.name)).metadata
    await change({ metadata: { labels: { ...labels, [fleetLabels.addonName]: null, theirs: 'x' } } })
    assert.deepEqual((await keepFor().load()).kept?.pass, kept.pass)
    const { metadata } = await collection.get(item.secret.name)
    assert.deepEqual([metadata.labels, metadata.annotations], [{ ...labels, theirs: 'x' }, annotations])
    const writes = spoke.count('patch')
    await keepFor().load()
    assert.equal(spoke.count('patch'), writes)
  }
})

test('another signer gets no kubeconfig, and one that somebody put there is theirs', async () => {
  const { keepFor, kept, change, collection, item } = await scene(aCustomSigner('example.com/s'))
  await keepFor().save(kept)
  assert.equal((await collection.get(item.secret.name)).data?.['kubeconfig'], undefined)
  await change({ data: { kubeconfig: 'bm8=' } })
  assert.ok((await keepFor().load()).kept)
  assert.equal((await collection.get(item.secret.name)).data?.['kubeconfig'], 'bm8=')
})

test('a request on its way is forgotten once something else is wanted', async () => {
  const { keepFor } = await scene()
  const at = new Date('2026-01-01T00:00:00Z')
  await keepFor().savePending({ name: 'r', createdAt: at, material: Secret.of('key') })
  const pending = async (...of: Parameters<typeof keepFor>) => (await keepFor(...of).load()).pending?.name
  assert.equal(await pending(), 'r')
  assert.equal(await pending({}, { ...hub, server: 'https://elsewhere' }), 'r')
  assert.equal(await pending({ subject: { user: 'other' } }), undefined)
  assert.equal(await pending({ signer: 'example.com/other' }), undefined)
  assert.equal(await pending({}, { ...hub, ca: 'another CA' }), undefined)
})
