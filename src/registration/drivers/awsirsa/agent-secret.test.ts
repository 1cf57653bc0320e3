import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSecret } from '../../../../test/support/builders.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { reasons } from '../../../core/reasons.ts'
import { Secret } from '../../../core/secret.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import { secrets } from '../../../kube/kinds.ts'
import { formatAwsKubeconfig } from './agent-kubeconfig.ts'
import { awsHolds, awsPass, awsSecretKeep } from './agent-secret.ts'

const stanza = { name: 'hub', server: 'https://hub.example.com', ca: 'pem', proxyUrl: Secret.of('http://p:1') }
const access = { region: 'eu-central-1', clusterName: 'hub', roleArn: 'arn:aws:iam::111111111111:role/ocm-hub-1' }
const kubeconfig = formatAwsKubeconfig(stanza, access, { form: 'lanyard', command: 'lanyard' })
const material = { stanza, access, kubeconfig }
const facts = { holder: 'west', issuer: stanza.server, keptIn: 'secret/here/hub' }

function scene() {
  const clock = new FakeClock('2026-01-01T00:00:00.123Z')
  const kube = new MemoryKube(clock)
  const place = { kube, namespace: 'here', name: 'hub' }
  const kept = { pass: awsPass(facts, material, clock.now()), material }
  return {
    clock,
    place,
    kept,
    keep: awsSecretKeep({ ...place, cluster: 'west', agent: 'a1' }),
    collection: kube.of(secrets, 'here'),
  }
}

test('what is saved comes back whole', async () => {
  const { keep, kept } = scene()
  await keep.save(kept)
  const { kept: loaded } = await keep.load()
  assert.deepEqual(loaded?.pass, kept.pass)
  assert.deepEqual(loaded?.material.access, access)
  assert.equal(loaded?.material.kubeconfig.reveal(), kubeconfig.reveal())
})

test('the Secret has kubeconfig, cluster and agent, and keeps what others put there; a certificate goes', async () => {
  const { keep, kept, collection } = scene()
  await collection.create(aSecret('hub', { 'tls.crt': 'c', 'tls.key': 'k', pending: '{}', other: 'stays' }))
  await keep.save(kept)
  const { data = {} } = await collection.get('hub')
  assert.deepEqual(Object.keys(data).sort(), ['agent-name', 'cluster-name', 'kubeconfig', 'other'])
  assert.deepEqual([textOf(data, 'cluster-name'), textOf(data, 'agent-name')], ['west', 'a1'])
})

test('what is for another cluster or agent, or damaged, counts as absent', async () => {
  const { keep, kept, place, collection } = scene()
  assert.deepEqual(await keep.load(), {})
  await keep.save(kept)
  assert.deepEqual(await awsSecretKeep({ ...place, cluster: 'west', agent: 'a2' }).load(), {})
  assert.deepEqual(await awsSecretKeep({ ...place, cluster: 'west1', agent: 'a1' }).load(), {})
  await collection.patch('hub', { type: 'merge', body: { data: { kubeconfig: 'e30=' } } })
  assert.deepEqual(await keep.load(), {})
})

test('a Secret that was changed does not hold any more what was put there', async () => {
  const { keep, kept, collection } = scene()
  await keep.save(kept)
  assert.equal(awsHolds(await collection.get('hub'), material), true)
  await collection.patch('hub', { type: 'merge', body: { data: { kubeconfig: 'e30=' } } })
  assert.equal(awsHolds(await collection.get('hub'), material), false)
})

test('two grants of the same role have two fingerprints, and neither tells the password of a proxy', async () => {
  const { kept } = scene()
  const later = awsPass(facts, material, new Date('2026-01-01T00:00:00.124Z'))
  assert.notEqual(later.fingerprint, kept.pass.fingerprint)
  const otherProxy = { ...material, stanza: { ...stanza, proxyUrl: Secret.of('http://other:1') } }
  assert.equal(awsPass(facts, otherProxy, kept.pass.issuedAt).fingerprint, kept.pass.fingerprint)
})

test('a refusal is remembered until something is saved', async () => {
  const { keep, kept, clock } = scene()
  const refused = { reason: reasons.IssuerDenied, at: clock.now(), retryAt: clock.now() }
  await keep.savePending({ name: 'none', createdAt: clock.now(), refused })
  assert.deepEqual((await keep.load()).pending?.refused, refused)
  await keep.save(kept)
  assert.equal((await keep.load()).pending, undefined)
})
