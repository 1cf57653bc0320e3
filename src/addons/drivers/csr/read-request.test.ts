import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '../../../core/secret.ts'
import type { CsrOrder } from '../../../fleet/csr/request.ts'
import { csrObject } from '../../../fleet/csr/request.ts'
import { agentUser, clientSigner, labels } from '../../../fleet/names.ts'
import { generateKey } from '../../../pki/index.ts'
import { addonOrder } from './order.ts'
import { readAddonRequest } from './read-request.ts'
import { aCustomSigner, aKubeClient, aRequest } from './testing/items.ts'

const item = aKubeClient()
const other = 'example.com/s'

async function verdict(change: Partial<CsrOrder> = {}, { spec = {}, labelled = {} as Record<string, string> } = {}) {
  const keyPem: Secret = generateKey().keyPem
  const csr = await csrObject({ ...addonOrder(item), ...change }, keyPem)
  const metadata = { name: 'r', uid: 'r', resourceVersion: '1', labels: { ...csr.metadata?.labels, ...labelled } }
  const read = readAddonRequest(
    { metadata, spec: { ...csr.spec, username: agentUser('west', 'a1'), ...spec } },
    clientSigner,
  )
  return typeof read === 'string' ? read : 'fine'
}

test('a request says who asks for what', async () => {
  const csr = await aRequest(aCustomSigner(other, { user: 'x' }))
  const request = readAddonRequest(csr, other)
  assert.ok(typeof request !== 'string')
  const { cluster, addon, agent, requester, signer, subject } = request
  assert.deepEqual(
    [cluster, addon, agent, requester, signer, subject.commonName],
    ['west', 'logs', 'a1', agentUser('west', 'a1'), other, 'x'],
  )
})

test('only an agent of the cluster in the label asks, and its name is compared whole', async () => {
  assert.equal(await verdict(), 'fine')
  for (const username of [
    undefined,
    '',
    'bootstrap',
    agentUser('westbar', 'a1'),
    agentUser('wes', 'a1'),
    'system:open-cluster-management:west',
    'system:open-cluster-management:west:',
    'system:open-cluster-management:west:a1:x',
    'system:open-cluster-management:cluster:west:addon:logs:agent:logs',
  ])
    assert.equal(await verdict({}, { spec: { username } }), 'NotAsked', username)
  assert.equal(await verdict({}, { labelled: { [labels.clusterName]: 'westbar' } }), 'NotAsked')
})

test('an agent that comes by another identity than a certificate is known by the group of its cluster', async () => {
  const asked = (username: string, ...groups: string[]) => verdict({}, { spec: { username, groups } })
  const everybody = 'system:authenticated'
  // By an access entry of EKS, by the ConfigMap aws-auth, and by an access entry of another hub of the field.
  assert.equal(await asked('open-cluster-management:west', 'open-cluster-management:west', everybody), 'fine')
  const mapped = 'system:open-cluster-management:west'
  assert.equal(await asked(`${mapped}:awsirsa`, mapped, everybody), 'fine')
  assert.equal(await asked('west', 'open-cluster-management:west', everybody), 'fine')
  for (const [username = '', ...groups] of [
    ['open-cluster-management:west', everybody],
    ['open-cluster-management:west', 'open-cluster-management:westbar'],
    ['open-cluster-management:west', 'open-cluster-management:wes'],
    ['open-cluster-management:west', 'system:open-cluster-management:managed-clusters'],
    ['west', 'west'],
    // A name that says more than the groups: whose agent it is, and that is not this cluster's.
    [agentUser('east', 'a1'), 'open-cluster-management:west'],
  ])
    assert.equal(await asked(username, ...groups), 'NotAsked', `${username} in ${groups}`)
  const unlabelled = { spec: { username: 'x', groups: ['open-cluster-management:'] } }
  assert.equal(await verdict({}, { ...unlabelled, labelled: { [labels.clusterName]: '' } }), 'NoClusterLabel')
})

test('a requester whose identity names no agent is told by its user name alone', async () => {
  const csr = await aRequest(item)
  const spec = { ...csr.spec, username: 'open-cluster-management:west', groups: ['open-cluster-management:west'] }
  const request = readAddonRequest({ ...csr, spec }, clientSigner)
  assert.ok(typeof request !== 'string')
  assert.deepEqual([request.agent, request.requester], [undefined, 'open-cluster-management:west'])
})

test('without its labels a request is nobody’s', async () => {
  assert.equal(await verdict({}, { labelled: { [labels.clusterName]: '' } }), 'NoClusterLabel')
  assert.equal(await verdict({}, { labelled: { [labels.addonName]: '' } }), 'NoAddonLabel')
})

test('another signer, other usages and other names are refused; no name is fine', async () => {
  assert.equal(await verdict({ signer: other }), 'OtherSigner')
  assert.equal(await verdict({}, { spec: { usages: ['client auth', 'server auth'] } }), 'OtherUsages')
  assert.equal(await verdict({}, { spec: { usages: ['digital signature'] } }), 'OtherUsages')
  assert.equal(await verdict({ sans: {} }), 'fine')
  assert.equal(await verdict({ sans: { dnsNames: ['hub.example.com'] } }), 'OtherNames')
  assert.equal(await verdict({ sans: { dnsNames: ['logs2.addon.open-cluster-management.io'] } }), 'OtherNames')
  assert.equal(await verdict({ sans: { ipAddresses: ['10.0.0.1'] } }), 'OtherNames')
  assert.equal(await verdict({}, { labelled: { [labels.addonName]: 'logs2' } }), 'OtherNames')
  assert.equal(await verdict({ subject: { commonName: 'x', others: [{ oid: '2.5.4.6', value: 'DE' }] } }), 'OtherNames')
})

test('a request that its own key did not sign, or that is none, is refused', async () => {
  const csr = await aRequest(item)
  const pem = Buffer.from(csr.spec.request, 'base64').toString()
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  // The last byte is part of the signature.
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
  const broken = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  const request = Buffer.from(broken).toString('base64')
  assert.equal(readAddonRequest({ ...csr, spec: { ...csr.spec, request } }, clientSigner), 'KeyNotProven')
  assert.equal(readAddonRequest({ ...csr, spec: { ...csr.spec, request: 'bm8=' } }, clientSigner), 'NotARequest')
})
