import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Stored } from '../../kube/objects.ts'
import type { RequestInput } from '../../pki/index.ts'
import { createRequest, generateKey, publicKeyOf } from '../../pki/index.ts'
import { agentUser, clientSigner, clusterGroup, commonGroup, labels } from '../names.ts'
import { decisionOn, judgeClusterRequest, whyNotOurs } from './approval.ts'

const { keyPem } = generateKey()
const commonName = agentUser('west', 'a1')
const organizations = [clusterGroup('west')]

interface Oddities {
  asked?: Partial<RequestInput>
  pem?: string
  label?: string
  spec?: Partial<CertificateSigningRequest['spec']>
}

async function aCsr({ asked, pem, label = 'west', spec }: Oddities = {}): Promise<Stored<CertificateSigningRequest>> {
  const text = pem ?? (await createRequest({ keyPem, subject: { commonName, organizations }, ...asked }))
  return {
    metadata: {
      name: 'csr',
      uid: 'u',
      resourceVersion: '1',
      labels: label === '' ? {} : { [labels.clusterName]: label },
    },
    spec: {
      request: Buffer.from(text).toString('base64'),
      signerName: clientSigner,
      usages: ['digital signature', 'key encipherment', 'client auth'],
      username: 'boot',
      ...spec,
    },
  }
}

test("an agent's request is read", async () => {
  const csr = await aCsr()
  assert.deepEqual(judgeClusterRequest(csr), {
    csr,
    cluster: 'west',
    agent: 'a1',
    user: commonName,
    requester: 'boot',
    publicKeyPem: publicKeyOf(keyPem),
  })
})

test('the common group may stand beside that of the cluster, in any order', async () => {
  for (const groups of [
    [...organizations, commonGroup],
    [commonGroup, ...organizations],
  ])
    assert.equal(whyNotOurs(await aCsr({ asked: { subject: { commonName, organizations: groups } } })), undefined)
})

test('client auth alone will do, as Go programs with Ed25519 keys ask', async () => {
  assert.equal(whyNotOurs(await aCsr({ spec: { usages: ['client auth'] } })), undefined)
})

const subject = (user: string, ...groups: string[]): Oddities => ({
  asked: { subject: { commonName: user, organizations: groups } },
})

const violations: [what: string, why: string, oddities: Oddities][] = [
  ['without a label', 'NoClusterLabel', { label: '' }],
  ['for another signer', 'OtherSigner', { spec: { signerName: `${clientSigner}-kubelet` } }],
  ['without client auth', 'OtherUsages', { spec: { usages: ['digital signature'] } }],
  ['without usages', 'OtherUsages', { spec: { usages: [] } }],
  ['for a server as well', 'OtherUsages', { spec: { usages: ['client auth', 'server auth'] } }],
  ['that is a certificate', 'NotARequest', { pem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }],
  ['that is junk', 'NotARequest', { pem: 'junk' }],
  ['for the group of a longer name', 'OtherGroups', subject(commonName, clusterGroup('westxyz'))],
  ['for the group of a shorter name', 'OtherGroups', subject(commonName, clusterGroup('wes'))],
  ['for two clusters', 'OtherGroups', subject(commonName, clusterGroup('west'), clusterGroup('east'))],
  ['for a foreign group', 'OtherGroups', subject(commonName, clusterGroup('west'), 'system:masters')],
  ['for the common group alone', 'OtherGroups', subject(commonName, commonGroup)],
  ['for no group', 'OtherGroups', subject(commonName)],
  ['for an agent of a longer name', 'OtherUser', subject(agentUser('westxyz', 'a1'), ...organizations)],
  ['for a user of one part', 'OtherUser', subject(clusterGroup('west'), ...organizations)],
  ['for a user of three parts', 'OtherUser', subject(`${commonName}:more`, ...organizations)],
  ['for a user with an empty part', 'OtherUser', subject(agentUser('west', ''), ...organizations)],
  [
    'for an agent whose name would reach terminals',
    'OtherUser',
    subject(agentUser('west', '\u001b[2Ja'), ...organizations),
  ],
  ['for an agent in capitals', 'OtherUser', subject(agentUser('west', 'A1'), ...organizations)],
  ['for an agent of two lines', 'OtherUser', subject(agentUser('west', 'a1\n'), ...organizations)],
  ['for somebody else', 'OtherUser', subject('admin', ...organizations)],
  ['labelled with another cluster', 'OtherGroups', { label: 'east' }],
  ['with an alternative name', 'SaysMore', { asked: { sans: { dnsNames: ['kubernetes'] } } }],
  [
    'with an organizational unit',
    'SaysMore',
    { asked: { subject: { commonName, organizations, organizationalUnits: ['x'] } } },
  ],
]

for (const [what, why, oddities] of violations)
  test(`a request ${what} is not ours: ${why}`, async () => {
    assert.equal(whyNotOurs(await aCsr(oddities)), why)
  })

test('a request that somebody changed does not prove its key', async () => {
  const pem = await createRequest({ keyPem, subject: { commonName, organizations } })
  const der = Buffer.from(pem.replaceAll(/-----.*-----|\n/g, ''), 'base64')
  const at = der.indexOf('a1')
  der.write('a2', at)
  const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  assert.equal(whyNotOurs(await aCsr({ pem: changed })), 'KeyNotProven')
})

test('a decision is read from the conditions; a denial counts more than an approval', async () => {
  const csr = await aCsr()
  const withConditions = (...types: string[]) =>
    decisionOn({ ...csr, status: { conditions: types.map((type) => ({ type, status: 'True' })) } })
  assert.deepEqual(
    [withConditions(), withConditions('Approved'), withConditions('Denied'), withConditions('Approved', 'Failed')],
    ['none', 'approved', 'denied', 'failed'],
  )
  assert.equal(decisionOn(csr), 'none')
})
