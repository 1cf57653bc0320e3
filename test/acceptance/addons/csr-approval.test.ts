/** Which certificate requests of add-ons the hub approves: what an agent can get must not be more than its add-on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { addonOrder } from '../../../src/addons/drivers/csr/order.ts'
import type { ItemSubject, RegistrationItem } from '../../../src/addons/registrations.ts'
import { itemsOf } from '../../../src/addons/registrations.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import {
  addonGroup,
  addonUser,
  agentUser,
  annotations,
  clusterGroup,
  clusterGroups,
  labels,
} from '../../../src/fleet/names.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { events, namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { Stored } from '../../../src/kube/objects.ts'
import type { SubjectInput } from '../../../src/pki/index.ts'
import { addonHub } from '../../support/addon-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Oddities } from '../../support/csr-scene.ts'
import { approvalReason, csrScene, startedOnce } from '../../support/csr-scene.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestScope } from '../../support/test-scope.ts'

async function start(t: TestScope) {
  const plane = await startControlPlane(t, {})
  const approvers = [{ addon: 'vouched-for', mayApprove: () => true }]
  const hub = await addonHub(t, plane, { addons: { approvers } })
  return { ...hub, ...(await csrScene(t, plane)) }
}
/** One hub for all tests of this file, each with clusters of its own. */
const scene = startedOnce(start)

/** An accepted cluster and its agent `a1`. */
async function acceptedCluster(cluster = uniqueName('cluster')) {
  const { createCluster, agent, admin } = await scene()
  await createCluster(cluster, { hubAcceptsClient: true })
  await eventually('its namespace is there', () => admin.of(namespaces).find(cluster))
  return { cluster, as: await agent(cluster, 'a1') }
}

/** An add-on with one registration; who may write its status decides what that says. */
async function registered(
  cluster: string,
  subject: ItemSubject = {},
  { addon = uniqueName('addon'), driver = 'csr' as 'csr' | 'token' } = {},
): Promise<RegistrationItem> {
  const { admin } = await scene()
  const addons = admin.of(ManagedClusterAddOn.resource, cluster)
  await addons.create({ metadata: { name: addon }, spec: {} })
  const registrations = [{ type: 'kubeClient', kubeClient: { driver, subject } }]
  const body = { status: { registrations } }
  const [item] = itemsOf(await addons.patch(addon, { type: 'merge', body }, { subresource: 'status' }))
  assert.ok(item)
  return item
}

/** Asks for what the registration says, unless it is to be otherwise. */
const ask = async (as: Kube, item: RegistrationItem, oddities: Oddities = {}) =>
  (await scene()).ask(as, item.cluster, 'a1', { ...addonOrder(item), ...oddities })

/** The hub takes requests as they come: with this one approved, it has looked at all before it. */
async function hasLooked(): Promise<void> {
  const { approved } = await scene()
  const { cluster, as } = await acceptedCluster()
  await approved(await ask(as, await registered(cluster)))
}

describe('the hub decides on the certificate requests of add-ons', needsControlPlane, () => {
  test('the usual subject is approved, and any other that is of this add-on on this cluster', async () => {
    const { admin, approved } = await scene()
    const { cluster, as } = await acceptedCluster()
    const usual = await registered(cluster)
    const csr = await approved(await ask(as, usual))
    assert.equal(approvalReason(csr), 'AutoApprovedByHubCSRApprovingController')
    await eventually('it is told', async () => {
      const { items } = await admin.of(events, cluster).list({ fieldSelector: `involvedObject.name=${usual.addon}` })
      return items.some(({ reason }) => reason === 'AddonCSRAutoApproved')
    })
    const addon = uniqueName('addon')
    const user = `system:open-cluster-management:cluster:${cluster}:addon:${addon}:agent:other`
    const groups = [addonGroup(cluster, addon), `system:open-cluster-management:addon:${addon}`, 'system:authenticated']
    await approved(await ask(as, await registered(cluster, { user, groups }, { addon })))
    // A name of its own is not asked for by all.
    await approved(await ask(as, await registered(cluster), { sans: {} }))
  })

  test('R65: an agent of the cluster foobar gets nothing for the cluster foo', async () => {
    const { approved, decision } = await scene()
    const foo = await acceptedCluster()
    const foobar = await acceptedCluster(`${foo.cluster}bar`)
    const wanted = await registered(foo.cluster)
    const other = await registered(foobar.cluster, {}, { addon: wanted.addon })
    const [there, back] = [await ask(foobar.as, wanted), await ask(foo.as, other)]
    const mislabelled = await ask(foobar.as, wanted, { labels: addonOrder(other).labels })
    await approved(await ask(foo.as, wanted))
    await approved(await ask(foobar.as, other))
    assert.deepEqual([await decision(there), await decision(back)], ['none', 'none'])
    // Its own agent asked for what no registration of its own says: that is tidied up.
    assert.equal(await decision(mislabelled), 'gone')
  })

  test('an agent that writes another identity into its registration gets nothing by it', async () => {
    const { csrs } = await scene()
    const other = await acceptedCluster()
    const { cluster, as } = await acceptedCluster()
    const subjects: Record<string, (addon: string) => ItemSubject> = {
      'an administrator of any namespace': () => ({ groups: ['system:serviceaccounts:kube-system'] }),
      'an administrator of kubeadm': () => ({ groups: ['kubeadm:cluster-admins'] }),
      'any user': () => ({ user: 'admin' }),
      'a user of the system': () => ({ user: 'system:kube-controller-manager' }),
      'a node': () => ({ user: 'system:node:n1', groups: ['system:nodes'] }),
      'an account': () => ({ user: `system:serviceaccount:${cluster}:default` }),
      'the agent of its cluster': () => ({ user: agentUser(cluster, 'a1'), groups: [clusterGroup(cluster)] }),
      'the agent of another': () => ({ user: agentUser(other.cluster, 'a1'), groups: [clusterGroup(other.cluster)] }),
      'the group of agents, as for EKS': () => ({ groups: [clusterGroups(cluster)[1]] }),
      'the add-on elsewhere': (addon) => ({ user: addonUser(other.cluster, addon) }),
      'its group elsewhere': (addon) => ({ groups: [addonGroup(other.cluster, addon)] }),
      'another add-on': () => ({ user: addonUser(cluster, 'x'), groups: [addonGroup(cluster, 'x')] }),
      'an add-on with a longer name': (addon) => ({ groups: [addonGroup(cluster, `${addon}2`)] }),
      'another add-on everywhere': () => ({ groups: ['system:open-cluster-management:addon:x'] }),
      'more than a name': (addon) => ({ user: `${addonUser(cluster, addon)}:${other.cluster}` }),
      'no name': (addon) => ({ user: addonUser(cluster, addon).slice(0, -addon.length) }),
      'any group': () => ({ groups: ['example:admins'] }),
    }
    for (const subjectOf of Object.values(subjects)) {
      const addon = uniqueName('addon')
      await ask(as, await registered(cluster, subjectOf(addon), { addon }))
    }
    // This one is refused by the API server itself, whoever asks.
    const masters = await registered(cluster, { groups: ['system:masters'] })
    await assert.rejects(ask(as, masters), isForbidden)
    await hasLooked()
    const { items } = await csrs.list({ labelSelector: `${labels.clusterName}=${cluster}` })
    assert.deepEqual(
      items.map(({ status }) => status?.conditions ?? []),
      Object.keys(subjects).map(() => []),
    )
  })

  test('an approver of the hub may give other subjects, but none of the system', async () => {
    const { approved, decision } = await scene()
    const [one, two] = [await acceptedCluster(), await acceptedCluster()]
    const addon = 'vouched-for'
    const fine = await ask(one.as, await registered(one.cluster, { user: 'reader', groups: ['readers'] }, { addon }))
    const bad = await ask(two.as, await registered(two.cluster, { groups: ['system:nodes'] }, { addon }))
    await approved(fine)
    await hasLooked()
    assert.equal(await decision(bad), 'none')
  })

  test('what is not a proper request of an add-on is left to people', async () => {
    const { decision, user, agent, admin } = await scene()
    const { cluster, as } = await acceptedCluster()
    const left: Awaited<ReturnType<typeof ask>>[] = []
    const leave = async (who: Kube, item: RegistrationItem, oddities?: Oddities) => {
      left.push(await ask(who, item, oddities))
    }
    await leave(await user('somebody'), await registered(cluster))
    await leave(as, await registered(cluster), { usages: ['client auth', 'server auth'] })
    await leave(as, await registered(cluster), { sans: { dnsNames: ['hub.example.com'] } })
    await leave(as, await registered(cluster), { sans: { ipAddresses: ['10.0.0.1'] } })
    await leave(as, await registered(cluster), { signer: 'example.com/other' })
    const { subject } = addonOrder(await registered(cluster))
    await leave(as, await registered(cluster), { subject: { ...subject, organizationalUnits: ['unit'] } })

    const apart = uniqueName('cluster')
    await acceptedCluster(apart)
    const unaccepted = await registered(apart)
    await admin.of(ManagedCluster.resource).patch(apart, { type: 'merge', body: { spec: { hubAcceptsClient: false } } })
    await leave(await agent(apart, 'a1'), unaccepted)

    const replaced = await acceptedCluster()
    const { metadata } = await admin.of(ManagedCluster.resource).patch(replaced.cluster, {
      type: 'merge',
      body: { metadata: { annotations: { [annotations.agentName]: 'a2' } } },
    })
    assert.equal(metadata.annotations?.[annotations.agentName], 'a2')
    await leave(replaced.as, await registered(replaced.cluster))

    await hasLooked()
    for (const csr of left) assert.notEqual(await decision(csr), 'approved', JSON.stringify(csr.spec.usages))
  })

  test('F46a: a request of OCM’s agent is wanted: it names its agent and no organization where the registration, with empty strings, names none', async () => {
    const { admin, approved, decision } = await scene()
    const { cluster, as } = await acceptedCluster()
    const addons = admin.of(ManagedClusterAddOn.resource, cluster)
    const empty = { user: '', groups: [], organizationUnits: [] }
    const [user, group] = ['example:reader', 'example:readers']
    const said: [ItemSubject, SubjectInput | undefined][] = [
      [{ user: '' }, undefined],
      [empty, undefined],
      [{ user: '', groups: [''] }, undefined],
      [
        { user: '', groups: [group] },
        { commonName: '', organizations: [group] },
      ],
      [{ user }, { commonName: user }],
      [{ user, groups: [] }, { commonName: user }],
      [{ user, groups: [''] }, { commonName: user }],
    ]
    const asked: Stored<CertificateSigningRequest>[] = []
    for (const [subject, given] of said) {
      const addon = uniqueName('addon')
      const own = `${addonGroup(cluster, addon)}:agent:a1`
      await addons.create({ metadata: { name: addon }, spec: {} })
      const customSigner = { signerName: 'example.com/other', subject }
      const body = { status: { registrations: [{ type: 'customSigner', customSigner }] } }
      const [item] = itemsOf(await addons.patch(addon, { type: 'merge', body }, { subresource: 'status' }))
      assert.ok(item)
      asked.push(await ask(as, item, { subject: { ...given, commonName: given?.commonName || own } }))
    }
    // Of the hub's own signer it asks with the usual organization, and for its own name all the same.
    const kubeClient = await registered(cluster, { user: '' })
    const organizations = [addonGroup(cluster, kubeClient.addon)]
    await approved(
      await ask(as, kubeClient, { subject: { commonName: `${organizations[0]}:agent:a1`, organizations } }),
    )
    await hasLooked()
    assert.deepEqual(
      await Promise.all(asked.map(decision)),
      asked.map(() => 'none'),
    )
  })

  test('what no registration asks for any more is removed: of a token, of another subject, of an add-on that is gone', async () => {
    const { decision, admin } = await scene()
    const { cluster, as } = await acceptedCluster()
    const open = { groups: ['example:people-decide'] }
    const byToken = await registered(cluster, { user: 'x' }, { driver: 'token' })
    const changed = await registered(cluster, open)
    const gone = await registered(cluster, open)
    const kept = await registered(cluster, open)
    const asked = [await ask(as, byToken), await ask(as, changed), await ask(as, gone), await ask(as, kept)] as const
    await hasLooked()
    assert.deepEqual(await Promise.all(asked.slice(1).map(decision)), ['none', 'none', 'none'])
    const addons = admin.of(ManagedClusterAddOn.resource, cluster)
    const registrations = [{ type: 'kubeClient', kubeClient: { driver: 'csr', subject: { user: 'other' } } }]
    await addons.patch(changed.addon, { type: 'merge', body: { status: { registrations } } }, { subresource: 'status' })
    await addons.delete(gone.addon)
    for (const csr of asked.slice(0, 3)) await eventually('it is removed', async () => (await decision(csr)) === 'gone')
    assert.equal(await decision(asked[3]), 'none')
    await eventually('it is told', async () => {
      const { items } = await admin.of(events, cluster).list({ fieldSelector: `involvedObject.name=${changed.addon}` })
      return items.some(({ reason }) => reason === 'SupersededAddonCSRRemoved')
    })
  })
})
