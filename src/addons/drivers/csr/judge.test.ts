import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { addonGroup, addonUser, agentUser, annotations, clientSigner } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { SubjectInput } from '../../../pki/index.ts'
import type { RegistrationItem } from '../../registrations.ts'
import type { Judged } from './judge.ts'
import { isUnwanted, whyNotApproved } from './judge.ts'
import type { AddonRequest } from './read-request.ts'
import { readAddonRequest } from './read-request.ts'
import { aCustomSigner, aKubeClient, aRequest } from './testing/items.ts'

const cluster: Stored<ManagedCluster> = {
  metadata: { name: 'west', uid: 'c', resourceVersion: '1' },
  spec: { hubAcceptsClient: true },
}
const addonWith = (registrations: unknown[]): Stored<ManagedClusterAddOn> => ({
  metadata: { name: 'logs', namespace: 'west', uid: 'a', resourceVersion: '1' },
  spec: {},
  status: { registrations } as NonNullable<ManagedClusterAddOn['status']>,
})
const kubeClient = (subject: object, driver?: string) => ({ type: 'kubeClient', kubeClient: { subject, driver } })

async function requestFor(item: RegistrationItem): Promise<AddonRequest> {
  const request = readAddonRequest(await aRequest(item), item.signer)
  assert.ok(typeof request !== 'string', `${request}`)
  return request
}
const why = async (item: RegistrationItem, given: Partial<Judged> = {}) =>
  whyNotApproved({
    request: await requestFor(item),
    cluster,
    addon: addonWith([kubeClient(item.subject, 'csr')]),
    approvers: [],
    ...given,
  })

test('a registered subject of the add-on is approved, also one that the registration leaves open', async () => {
  assert.equal(await why(aKubeClient()), undefined)
  assert.equal(await why(aKubeClient(), { addon: addonWith([{ type: 'kubeClient' }]) }), undefined)
})

test('the cluster has to be in, and its agent in place', async () => {
  const written = (agent: string) => ({
    ...cluster,
    metadata: { ...cluster.metadata, annotations: { [annotations.agentName]: agent } },
  })
  assert.equal(await why(aKubeClient(), { cluster: undefined }), 'ClusterNotAccepted')
  assert.equal(
    await why(aKubeClient(), { cluster: { ...cluster, spec: { hubAcceptsClient: false } } }),
    'ClusterNotAccepted',
  )
  const going = { ...cluster.metadata, deletionTimestamp: '2026-03-01T12:00:00Z' as never }
  assert.equal(await why(aKubeClient(), { cluster: { ...cluster, metadata: going } }), 'ClusterNotAccepted')
  assert.equal(await why(aKubeClient(), { cluster: written('a2') }), 'AgentReplaced')
  assert.equal(await why(aKubeClient(), { cluster: written('a1') }), undefined)
  const unnamed = { ...(await requestFor(aKubeClient())), agent: undefined, requester: 'open-cluster-management:west' }
  assert.equal(await why(aKubeClient(), { cluster: written('a2'), request: unnamed }), undefined)
  const mapped = { ...unnamed, agent: 'awsirsa', requester: agentUser('west', 'awsirsa') }
  assert.equal(await why(aKubeClient(), { cluster: written('a2'), request: mapped }), 'AgentReplaced')
  const { metadata } = written('a2')
  const byRole = { ...metadata, annotations: { ...metadata.annotations, [annotations.awsRole]: 'r:aws-auth' } }
  assert.equal(await why(aKubeClient(), { cluster: { ...cluster, metadata: byRole }, request: mapped }), undefined)
})

test('the add-on has to be there and ask for exactly this by certificate', async () => {
  const item = aKubeClient()
  assert.equal(await why(item, { addon: undefined }), 'AddonNotFound')
  for (const registrations of [
    [],
    [kubeClient({}, 'token')],
    [kubeClient({ user: 'other' }, 'csr')],
    [kubeClient({ groups: ['more'] }, 'csr')],
    [{ type: 'customSigner', customSigner: { signerName: 'example.com/s' } }],
  ])
    assert.equal(await why(item, { addon: addonWith(registrations) }), 'NotRegistered')
})

test('the hub does not speak for other signers, whatever is registered', async () => {
  const signerName = 'example.com/s'
  const registered = addonWith([{ type: 'customSigner', customSigner: { signerName } }])
  assert.equal(await why(aCustomSigner(signerName), { addon: registered }), 'OtherSigner')
})

test('a registration is no proof: what the agent wrote there itself gives it nothing', async () => {
  assert.equal(await why(aKubeClient({ groups: ['system:masters'] })), 'ReservedSubject')
  assert.equal(await why(aKubeClient({ user: agentUser('east', 'a1') })), 'ReservedSubject')
  assert.equal(await why(aKubeClient({ user: 'admin' })), 'OtherSubject')
})

test('an approver speaks for its own add-on, and not for the system', async () => {
  const approvers = (addon: string) => ({ approvers: [{ addon, mayApprove: () => true }] })
  assert.equal(await why(aKubeClient({ user: 'reader' }), approvers('logs')), undefined)
  assert.equal(await why(aKubeClient({ user: 'reader' }), approvers('log')), 'OtherSubject')
  assert.equal(await why(aKubeClient({ groups: ['system:masters'] }), approvers('logs')), 'ReservedSubject')
})

test('what a registration leaves open is filled in by the agent, within what is the add-on’s own', async () => {
  const group = addonGroup('west', 'logs')
  const asOcm = { commonName: `${group}:agent:a1`, organizations: [group] }
  const request = async (item: RegistrationItem, subject: SubjectInput) => ({
    ...(await requestFor(item)),
    subject: { organizations: [], organizationalUnits: [], others: [], ...subject } as AddonRequest['subject'],
  })
  const asked = async (subject: SubjectInput, registered: object) =>
    await why(aKubeClient(), {
      request: await request(aKubeClient(), subject),
      addon: addonWith([kubeClient(registered, 'csr')]),
    })
  for (const open of [{}, { user: '' }, { user: '', groups: [], organizationUnits: null }, { groups: [''] }]) {
    assert.equal(await asked(asOcm, open), undefined)
    assert.equal(await asked({ commonName: asOcm.commonName }, open), undefined)
    assert.equal(await asked({ commonName: 'admin' }, open), 'NotRegistered')
    assert.equal(await asked({ ...asOcm, organizations: ['system:masters'] }, open), 'NotRegistered')
    assert.equal(await asked({ ...asOcm, organizationalUnits: ['unit'] }, open), 'NotRegistered')
  }
  assert.equal(await asked(asOcm, { user: addonUser('west', 'logs') }), 'NotRegistered')
  assert.equal(await asked({ commonName: asOcm.commonName }, { groups: [group] }), 'NotRegistered')
})

test('a request is unwanted once no registration asks for it, unless one leaves its subject open', async () => {
  const request = await requestFor(aKubeClient({ user: 'old' }))
  const unwanted = (registrations: unknown[]) => isUnwanted(addonWith(registrations), request)
  assert.equal(isUnwanted(undefined, request), true)
  assert.equal(unwanted([]), true)
  assert.equal(unwanted([kubeClient({ user: 'new' }, 'csr')]), true)
  assert.equal(unwanted([kubeClient({ user: 'old' }, 'token')]), true)
  assert.equal(unwanted([kubeClient({ user: 'old' }, 'csr')]), false)
  assert.equal(unwanted([{ type: 'kubeClient' }]), false)
  const custom = await requestFor(aCustomSigner('example.com/s', { user: 'old' }))
  const registration = (user: string, signerName = 'example.com/s') => ({
    type: 'customSigner',
    customSigner: { signerName, subject: { user } },
  })
  assert.equal(isUnwanted(addonWith([registration('old')]), custom), false)
  assert.equal(isUnwanted(addonWith([registration('new')]), custom), true)
  assert.equal(isUnwanted(addonWith([registration('old', clientSigner)]), custom), true)
})
