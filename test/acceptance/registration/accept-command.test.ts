import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { isFailure } from '../../../src/core/failure.ts'
import type { Step } from '../../../src/core/step.ts'
import { addonGroup, addonUser, annotations, conditions } from '../../../src/fleet/names.ts'
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings, secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { bootstrapTokenGroup } from '../../../src/registration/manifests/bootstrap.ts'
import { acceptCluster } from '../../../src/registration/operations/accept.ts'
import type { AcceptChoices } from '../../../src/registration/operations/accept-plan.ts'
import { denyCluster } from '../../../src/registration/operations/deny.ts'
import { aClusterRole, aClusterRoleBinding, aNamespace, aSecret, aUser, uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { CsrScene } from '../../support/csr-scene.ts'
import { csrScene } from '../../support/csr-scene.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const careful: AcceptChoices = {
  requesters: [],
  replaceAgent: false,
  skipApproveCheck: false,
  intoForeignNamespace: false,
}

describe('accept and deny', needsControlPlane, () => {
  const scope = suiteScope()
  let plane: ControlPlane
  let scene: CsrScene
  let bootstrap: Kube
  before(async () => {
    plane = await startControlPlane(scope, {})
    scene = await csrScene(scope, plane)
    await installFleetKinds(scene.admin)
    bootstrap = await scene.user('system:bootstrap:ocmhub', [bootstrapTokenGroup])
  })

  const deps = (kube: Kube = scene.admin) => ({ kube, clock: systemClock, signal: new AbortController().signal })
  const accept = async (name: string, choices: Partial<AcceptChoices> = {}, kube?: Kube): Promise<Step[] | string> => {
    try {
      return await Array.fromAsync(acceptCluster(name, { ...careful, ...choices }, deps(kube)))
    } catch (error) {
      if (isFailure(error)) return error.code
      throw error
    }
  }
  const isAccepted = async (name: string) =>
    (await scene.admin.of(ManagedCluster.resource).get(name)).spec?.hubAcceptsClient === true
  const cli = (t: { after(action: () => void): void }, ...args: string[]) =>
    lanyard(t, [...args, '--kubeconfig', plane.adminKubeconfigPath]).ended

  test('R79: accept without a request that could be approved changes nothing and says why; again after success it ends well', async (t) => {
    const { metadata } = await scene.createCluster('r79', {}, bootstrap)
    const refused = await cli(t, 'accept', 'r79')
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /no certificate request of r79 waits for approval, so nothing was changed.*ACCEPT_NO_REQUEST/,
    )
    const untouched = await scene.admin.of(ManagedCluster.resource).get('r79')
    assert.equal(untouched.metadata.resourceVersion, metadata.resourceVersion)

    const csr = await scene.ask(bootstrap, 'r79', 'agent')
    const { code, out, err } = await cli(t, 'accept', 'r79')
    assert.equal(code, 0, err)
    assert.match(out, /is approved[\s\S]*r79 is accepted/)
    assert.equal(await scene.decision(csr), 'approved')
    assert.equal(await isAccepted('r79'), true)

    const again = await cli(t, 'accept', 'r79')
    assert.equal(again.code, 0, again.err)
    assert.match(again.out, /r79 is accepted already/)
  })

  test('F10: accept asks before a cluster gets rights in a namespace of somebody else, and tells what is there', async (t) => {
    await scene.createCluster('shared', {}, bootstrap)
    const csr = await scene.ask(bootstrap, 'shared', 'agent')
    await scene.admin.of(namespaces).create(aNamespace('shared'))
    const theirs = scene.admin.of(secrets, 'shared')
    await theirs.create(aSecret('their-password', { password: 'x' }))
    const refused = await cli(t, 'accept', 'shared')
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /a namespace shared is there already.*1 Secret \(their-password\).*--yes.*ACCEPT_FOREIGN_NAMESPACE/,
    )
    assert.equal(await isAccepted('shared'), false)
    assert.equal(await scene.decision(csr), 'none')

    const { code, out, err } = await cli(t, 'accept', 'shared', '--yes')
    assert.equal(code, 0, err)
    assert.match(out, /shared is accepted/)
    assert.equal(await isAccepted('shared'), true)
    assert.ok(await theirs.find('their-password'))
    // Asked once: it is accepted now.
    assert.equal((await cli(t, 'accept', 'shared')).code, 0)

    // Nothing is in it, so nothing is asked; reserved names stay refused, whatever is said.
    await scene.createCluster('empty', {}, bootstrap)
    await scene.ask(bootstrap, 'empty', 'agent')
    await scene.admin.of(namespaces).create(aNamespace('empty'))
    assert.equal((await cli(t, 'accept', 'empty')).code, 0)
    await scene.createCluster('kube-system', {}, bootstrap)
    await scene.ask(bootstrap, 'kube-system', 'agent')
    const reserved = await cli(t, 'accept', 'kube-system', '--yes')
    assert.match(reserved.err, /CLUSTER_NAME_RESERVED/)
    assert.equal(await isAccepted('kube-system'), false)
    await scene.admin.of(ManagedCluster.resource).delete('kube-system')
  })

  test('a user who may approve and not accept changes nothing, and the other way round', async () => {
    await scene.createCluster('halves')
    const csr = await scene.ask(bootstrap, 'halves', 'agent')
    const approver = await scene.user('approver')
    const accepter = await scene.user('accepter')
    const rule = (apiGroup: string, resources: string[], verbs: string[]) => ({
      apiGroups: [apiGroup],
      resources,
      verbs,
    })
    const halves = {
      approver: rule('certificates.k8s.io', ['certificatesigningrequests/approval', 'signers'], ['update', 'approve']),
      accepter: rule('cluster.open-cluster-management.io', ['managedclusters'], ['update', 'patch']),
    }
    for (const [user, may] of Object.entries(halves)) {
      await scene.admin.of(clusterRoles).create(aClusterRole(`halves-${user}`, may))
      await scene.admin.of(clusterRoleBindings).create(aClusterRoleBinding(`halves-${user}`, aUser(user)))
    }
    await assert.rejects(accept('halves', {}, approver), { code: 403 })
    assert.equal(await scene.decision(csr), 'none')
    await assert.rejects(accept('halves', {}, accepter), { code: 403 })
    assert.equal(await isAccepted('halves'), false)
  })

  test('a request of somebody unknown is approved only by name', async () => {
    await scene.createCluster('unknown-asker')
    const jane = await scene.user('jane')
    const csr = await scene.ask(jane, 'unknown-asker', 'agent')
    assert.equal(await accept('unknown-asker'), 'ACCEPT_OTHER_REQUESTER')
    assert.equal(await scene.decision(csr), 'none')
    await accept('unknown-asker', { requesters: ['jane'] })
    assert.equal(await scene.decision(csr), 'approved')
  })

  test('a request for another cluster under the label of this one is nobody to accept', async () => {
    await scene.createCluster('labelled')
    const { metadata } = await scene.ask(bootstrap, 'labelled-not', 'agent')
    await scene.csrs.patch(metadata.name, {
      type: 'merge',
      body: { metadata: { labels: { 'open-cluster-management.io/cluster-name': 'labelled' } } },
    })
    assert.equal(await accept('labelled'), 'ACCEPT_NO_REQUEST')
  })

  test('R81b: accept refuses a second agent beside one that is alive, until --replace-agent lets it take over', async () => {
    const { metadata } = await scene.createCluster('second', { hubAcceptsClient: true })
    const clusters = scene.admin.of(ManagedCluster.resource)
    await clusters.patch('second', {
      type: 'merge',
      body: { metadata: { annotations: { [annotations.agentName]: 'first' } } },
    })
    const alive = {
      type: conditions.available,
      status: 'True',
      reason: 'ManagedClusterAvailable',
      message: '',
      lastTransitionTime: metadata.creationTimestamp,
    }
    await clusters.patch(
      'second',
      { type: 'merge', body: { status: { conditions: [alive] } } },
      { subresource: 'status' },
    )
    const csr = await scene.ask(bootstrap, 'second', 'other')
    assert.equal(await accept('second'), 'ACCEPT_SECOND_AGENT')
    assert.equal(await scene.decision(csr), 'none')
    await accept('second', { replaceAgent: true })
    assert.equal(await scene.decision(csr), 'approved')
  })

  test('--all lets in whoever waits, and nobody who was denied', async (t) => {
    for (const name of ['all-1', 'all-2', 'all-denied']) {
      await scene.createCluster(name, { hubAcceptsClient: name === 'all-denied' })
      await scene.ask(bootstrap, name, 'agent')
    }
    await Array.fromAsync(denyCluster('all-denied', deps()))
    await scene.admin.of(ManagedCluster.resource).patch(
      'all-denied',
      {
        type: 'merge',
        body: {
          status: {
            conditions: [
              {
                type: conditions.accepted,
                status: 'False',
                reason: 'HubClusterAdminDenied',
                message: '',
                lastTransitionTime: '2026-01-01T00:00:00Z',
              },
            ],
          },
        },
      },
      { subresource: 'status' },
    )
    await scene.ask(bootstrap, 'all-denied', 'agent')
    const { code, out, err } = await cli(t, 'accept', '--all', '-o', 'json')
    assert.equal(code, 0, err)
    const done = JSON.parse(out) as { cluster: string; ok: boolean }[]
    assert.deepEqual(
      done.filter(({ cluster }) => cluster.startsWith('all-')).map(({ cluster, ok }) => [cluster, ok]),
      [
        ['all-1', true],
        ['all-2', true],
      ],
    )
    assert.equal(await isAccepted('all-denied'), false)
  })

  test('--all lets EKS clusters in as well, which send no request; credentials of the hub are none of theirs', async (t) => {
    const annotations = { 'eks-managed-cluster-arn': 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke' }
    await scene.admin.of(ManagedCluster.resource).create({ metadata: { name: 'all-eks', annotations } })
    const unnamed = await cli(t, 'accept', 'all-eks')
    assert.equal(unnamed.code, 1)
    assert.match(unnamed.err, /does not say which EKS cluster the hub is; add --hub-cluster-arn ARN/)
    assert.equal(await isAccepted('all-eks'), false)
    const { out } = await cli(t, 'accept', '--all', '--aws-credentials', 'hub', '--timeout', '1', '-o', 'json')
    const done = JSON.parse(out) as { cluster: string; error?: { message: string } }[]
    const { error } = done.find(({ cluster }) => cluster === 'all-eks') ?? assert.fail(out)
    // No hub runs here.
    assert.match(error?.message ?? '', /all-eks was not given its rights within 1 s/)
    assert.equal(await isAccepted('all-eks'), true)
  })

  test('one that cannot be accepted does not keep the others from it, and the exit code tells', async (t) => {
    await scene.createCluster('several-good')
    await scene.ask(bootstrap, 'several-good', 'agent')
    const { code, err } = await cli(t, 'accept', '--clusters', 'several-missing,several-good')
    assert.equal(code, 1)
    assert.match(err, /the hub knows no cluster several-missing[\s\S]*1 of 2 clusters could not be accepted/)
    assert.equal(await isAccepted('several-good'), true)
  })

  test('deny takes the acceptance back and denies what waits; again it ends well', async (t) => {
    await scene.createCluster('shut', { hubAcceptsClient: true })
    const csr = await scene.ask(bootstrap, 'shut', 'agent')
    const { code, out, err } = await cli(t, 'deny', 'shut')
    assert.equal(code, 0, err)
    assert.match(out, /shut is denied/)
    assert.equal(await isAccepted('shut'), false)
    assert.equal(await scene.decision(csr), 'denied')
    assert.equal((await cli(t, 'deny', 'shut')).code, 0)
  })

  test('deny lists the add-ons whose certificates may go on working, and how to end it', async (t) => {
    const cluster = uniqueName('shut')
    await scene.createCluster(cluster, { hubAcceptsClient: true })
    await scene.admin.of(namespaces).create(aNamespace(cluster))
    const addons = scene.admin.of(ManagedClusterAddOn.resource, cluster)
    const drivers = { 'by-token': 'token', 'by-csr': 'csr', 'was-csr': 'token' } as const
    for (const [name, driver] of Object.entries(drivers)) {
      await addons.create({ metadata: { name }, spec: {} })
      const body = { status: { registrations: [{ type: 'kubeClient', kubeClient: { driver } }] } }
      await addons.patch(name, { type: 'merge', body }, { subresource: 'status' })
    }
    const apiGroup = 'rbac.authorization.k8s.io'
    await scene.admin.of(roleBindings, cluster).create({
      metadata: { name: 'of-its-author' },
      roleRef: { apiGroup, kind: 'Role', name: 'any' },
      subjects: [{ apiGroup, kind: 'Group', name: addonGroup(cluster, 'was-csr') }],
    })
    const everywhere = uniqueName('everywhere')
    await scene.admin.of(clusterRoleBindings).create({
      metadata: { name: everywhere },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup, kind: 'User', name: addonUser(cluster, 'was-csr') }],
    })
    t.after(() => scene.admin.of(clusterRoleBindings).delete(everywhere))
    const { code, out, err } = await cli(t, 'deny', cluster, '-o', 'json')
    assert.equal(code, 0, err)
    const [{ steps }] = JSON.parse(out) as [{ steps: { did: string; detail?: string }[] }]
    assert.deepEqual(
      steps.slice(1).map(({ did, detail }) => [did, detail]),
      [
        [
          'certificates of the add-on by-csr may go on working',
          'until its rights go; look for bindings of the group system:open-cluster-management:addon:by-csr',
        ],
        [
          'certificates of the add-on was-csr may go on working',
          `until its rights go; to end it: kubectl -n ${cluster} delete rolebinding of-its-author; kubectl delete clusterrolebinding ${everywhere}`,
        ],
      ],
    )
  })

  test('get and describe show how clusters stand', async (t) => {
    await scene.createCluster('shown', {
      hubAcceptsClient: true,
      managedClusterClientConfigs: [{ url: 'https://shown' }],
    })
    const csr = await scene.ask(bootstrap, 'shown', 'agent')
    const table = await cli(t, 'get', 'clusters', 'shown', '-o', 'wide')
    assert.equal(table.code, 0, table.err)
    assert.match(table.out, /^NAME +STAGE +ACCEPTED +JOINED/)
    assert.match(table.out, new RegExp(`shown +accepted +yes +no .*${csr.metadata.name}.*https://shown`))
    const [row] = JSON.parse((await cli(t, 'get', 'clusters', 'shown', '-o', 'json')).out)
    assert.equal(row.stage, 'accepted')
    assert.deepEqual(row.pendingRequests, [csr.metadata.name])
    const described = await cli(t, 'describe', 'cluster', 'shown')
    assert.match(described.out, /Name: +shown\nStage: +accepted\n/)
    const missing = await cli(t, 'get', 'clusters', 'nowhere')
    assert.equal(missing.code, 1)
    assert.match(missing.err, /the hub knows no cluster nowhere/)
  })
})
