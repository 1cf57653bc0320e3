/** Whether the roles of reach say what hub, agent and spoke do: no less, or they are refused something, and no more. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { Secret } from '../../../src/core/secret.ts'
import { user } from '../../../src/fleet/manifests/rbac.ts'
import { accountUser, parseAgentUser } from '../../../src/fleet/names.ts'
import { handoverAccount, handoverSecret, spokeAnnotations } from '../../../src/fleet/spoke/names.ts'
import { spokeRbacManifests } from '../../../src/fleet/spoke/rbac.ts'
import { anAuthority } from '../../../src/fleet/spoke/trust/testing/tls-server.ts'
import {
  events,
  namespaces,
  pods,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  subjectAccessReviews,
} from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { fingerprintOf } from '../../../src/pki/index.ts'
import { reachDeclarations, reachWebhooks } from '../../../src/reach/admission/index.ts'
import { tokenIn } from '../../../src/reach/handover/kubeconfig.ts'
import { reachHubRules } from '../../../src/reach/manifests/hub-rbac.ts'
import { agentReachRules } from '../../../src/registration/manifests/agent-reach.ts'
import { clientAs, grant } from '../../support/access-scene.ts'
import { refusedOf, rightsIn, rightsOf, rightsUsed } from '../../support/accounts-scene.ts'
import { joinHub } from '../../support/agent-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { AuditEvent, OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import type { HandoverScene } from '../../support/handover-scene.ts'
import { handedClient, handoverScene, reachRuns } from '../../support/handover-scene.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { startIssuer } from '../../support/issuer.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { startTlsFront } from '../../support/tls-front.ts'
import { allow, installWebhooks } from '../../support/webhook-scene.ts'

/** Not before an answer begins: a watch that goes on counts. */
const auditPolicy = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
})

const reachUser = 'the-reach-part-of-the-hub'
const agentUser = 'the-agent-on-its-cluster'

/** What a life without mishaps does not need. */
const unusedByHub: Readonly<Record<string, string>> = {
  'get events': 'of one that another process told before',
}

test(
  'hub, agent and the account on the cluster are refused nothing that reach needs, and have no right that it does not use',
  needsControlPlane,
  async (t) => {
    const issuer = await startIssuer(t)
    const plane = await startControlPlane(t, { auditPolicy, oidc: issuer.trust() })
    const admin = kubeClient(t, plane.connection())
    await installFleetKinds(admin)
    await allow(admin, reachUser, reachHubRules())
    const asReach = await clientAs(t, plane, reachUser)
    await installWebhooks(t, admin, reachWebhooks({ kube: asReach }), reachDeclarations)
    const clock = new FakeClock(new Date())
    const hub = await joinHub(t, plane, { clock, parts: (deps) => reachRuns(deps, asReach, { breaker: undefined }) })

    const asAgent = async (namespace: string) => {
      await grant(admin, namespace, [agentUser], ...agentReachRules({ namespace, offerReach: true }))
      return await clientAs(t, plane, agentUser)
    }
    const west = await handoverScene(t, plane, { clock, spoke: asAgent })
    await handedOver(t, west, plane)
    await taken(west, clock)
    await firstUse(t, { plane, admin, issuer })
    await takenBack(west)
    await hub.stop()
    await west.stop()

    const audited = await plane.auditEvents()
    const by = (name: string): AuditEvent[] => audited.filter(({ user: who }) => who.username === name)
    const account = accountUser(west.namespace, handoverAccount)
    for (const who of [reachUser, agentUser, account, issuer.user]) {
      assert.ok(by(who).length > 0, `${who} did something`)
      assert.deepEqual(refusedOf(by(who)), [], who)
    }
    // As itself on the hub: it asks before it tries.
    const asItself = audited.filter(({ user: who }) => parseAgentUser(who.username ?? '')?.cluster === west.cluster)
    assert.deepEqual(
      asItself.filter(({ objectRef }) => objectRef?.resource === 'secrets').flatMap((event) => refusedOf([event])),
      [],
    )

    const unused = (held: readonly string[], who: string) => {
      const used = by(who).flatMap(rightsUsed)
      return held.filter((right) => !used.includes(right))
    }
    assert.deepEqual(unused(rightsIn(reachHubRules()), reachUser), Object.keys(unusedByHub))
    assert.deepEqual(unused(rightsIn(agentReachRules({ namespace: '', offerReach: true })), agentUser), [])
    assert.deepEqual(unused(rightsOf(spokeRbacManifests(user('any'))), account), [])
  },
)

const told = (admin: Kube, name: string, reason: string, message = /./) =>
  eventually(`${name} is told ${reason}`, async () => {
    const { items } = await admin.of(events).list()
    return items.some(
      (event) => event.involvedObject.name === name && event.reason === reason && message.test(event.message ?? ''),
    )
  })

/** The whole life of what is handed over, and what somebody spoils is repaired. */
async function handedOver(t: TestContext, west: HandoverScene, plane: OwnControlPlane): Promise<void> {
  const { admin, cluster, home, namespace } = west
  await west.invite()
  await west.reaches('Ready', 'True', 'KubeconfigValidated')
  await west.reaches('PermissionsVerified', 'True', 'PermissionsGranted')

  // More than the hub gave: with less, the agent would be refused what it needs in the meantime.
  const { rules = [] } = await admin.of(roles, cluster).get(handoverSecret)
  const { subjects = [] } = await admin.of(roleBindings, cluster).get(handoverSecret)
  const more = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }
  await admin.of(roles, cluster).patch(handoverSecret, { type: 'merge', body: { rules: [...rules, more] } })
  await admin
    .of(roleBindings, cluster)
    .patch(handoverSecret, { type: 'merge', body: { subjects: [...subjects, user('somebody')] } })
  await admin.of(ClusterConfig.resource, cluster).patch(cluster, {
    type: 'merge',
    body: { spec: { kubeconfigSecretRef: { name: 'other', namespace: cluster } } },
  })
  const unmarked = { metadata: { labels: null } }
  await admin.of(secrets, cluster).patch(handoverSecret, { type: 'merge', body: unmarked })
  const automount = { automountServiceAccountToken: true }
  await home.of(serviceAccounts, namespace).patch(handoverAccount, { type: 'merge', body: automount })
  await eventually('all of it is repaired', async () => {
    const [role, binding, secret, account, config] = await Promise.all([
      admin.of(roles, cluster).find(handoverSecret),
      admin.of(roleBindings, cluster).find(handoverSecret),
      admin.of(secrets, cluster).find(handoverSecret),
      home.of(serviceAccounts, namespace).find(handoverAccount),
      west.config(),
    ])
    return (
      role?.rules?.length === 1 &&
      binding?.subjects?.length === 2 &&
      secret?.metadata.labels !== undefined &&
      account?.automountServiceAccountToken === false &&
      config?.spec.kubeconfigSecretRef?.name === handoverSecret
    )
  })
  await west.reaches('Ready', 'True', 'KubeconfigValidated')

  // What people's access takes, as the hub will do it there.
  const token = tokenIn(Secret.of((await west.handed()) ?? ''))?.reveal() ?? ''
  const asHub = handedClient(t, plane, token)
  const resourceAttributes = { verb: 'delete', group: '', resource: 'pods', namespace: 'default' }
  await asHub.of(subjectAccessReviews).create({ spec: { groups: ['operators'], resourceAttributes } })
  await asHub.of(namespaces).get('default')
  const { metadata } = await asHub.of(namespaces).list()
  for await (const _ of asHub
    .of(namespaces)
    .watch({ resourceVersion: metadata.resourceVersion ?? '', timeoutSeconds: 1 }));
  await asHub.of(pods, 'default').find('none')
}

/** Rights of the same names that somebody else made: each is looked at, and left. */
async function taken({ admin, cluster, ...west }: HandoverScene, clock: FakeClock): Promise<void> {
  await west.invite(false)
  const isGone = () =>
    eventually('it is gone', async () => (await admin.of(secrets, cluster).find(handoverSecret)) === undefined)
  await isGone()
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'theirs' }
  const metadata = { name: handoverSecret }
  const meets = async (kind: string) => {
    await west.invite()
    await told(admin, cluster, 'HandoverRefused', new RegExp(`^${kind} `))
    await west.invite(false)
    await isGone()
  }
  await admin.of(roleBindings, cluster).create({ metadata, roleRef })
  await meets('RoleBinding')
  await admin.of(roleBindings, cluster).delete(handoverSecret)
  await admin.of(roles, cluster).create({ metadata })
  await meets('Role')
  await admin.of(roles, cluster).delete(handoverSecret)
  await clock.advance('10s')
  await west.invite()
  await west.reaches('Ready', 'True', 'KubeconfigValidated')
}

interface Stage {
  plane: OwnControlPlane
  admin: Kube
  issuer: TestIssuer
}

/** A cluster by OIDC, through an IdentityProvider, whose CA is trusted on first use and then replaced by another. */
async function firstUse(t: TestContext, { plane, admin, issuer }: Stage): Promise<void> {
  const [name, namespace] = [uniqueName('front'), uniqueName('front')]
  const [first, second] = await Promise.all([anAuthority('first', systemClock), anAuthority('second', systemClock)])
  const front = await startTlsFront(t, plane, first)
  const { issuerURL: authority, server, audience, ...auth } = issuer.auth(front.url)
  await admin.of(namespaces).create(aNamespace(namespace))
  for (const { resource, object } of spokeRbacManifests(user(issuer.user)))
    await admin.of(resource).apply(object, { fieldManager: 'test', force: true })
  const data = { 'client-secret': Buffer.from(issuer.clientSecret).toString('base64') }
  await admin.of(secrets, namespace).create({ metadata: { name: 'client' }, data })
  await admin.of(IdentityProvider.resource).create({ metadata: { name }, spec: { oidc: { authority, ...auth } } })
  const configs = admin.of(ClusterConfig.resource, namespace)
  const oidcFromIdentityProvider = { name, server, audience, clientSecretRef: { name: 'client', namespace } }
  await configs.create({ metadata: { name }, spec: { oidcFromIdentityProvider } })
  const reaches = (type: string, reason: string) =>
    eventually(
      `${type} is ${reason}`,
      async () => findCondition((await configs.get(name)).status?.conditions as Condition[] | undefined, type),
      { until: (found) => found?.reason === reason },
    )
  const annotate = (key: string, value: string) =>
    configs.patch(name, { type: 'merge', body: { metadata: { annotations: { [key]: value } } } })
  await reaches('Ready', 'OIDCValidated')
  await reaches('PermissionsVerified', 'PermissionsGranted')

  await front.show(second)
  await annotate(spokeAnnotations.checkRequestedAt, new Date().toISOString())
  await reaches('Ready', 'TOFUFailed')
  await annotate(spokeAnnotations.trustedFingerprint, fingerprintOf(second.certPem))
  await reaches('Ready', 'OIDCValidated')
  await eventually('the confirmation is taken away', async () => {
    const { metadata } = await configs.get(name)
    return metadata.annotations?.[spokeAnnotations.trustedFingerprint] === undefined
  })
}

async function takenBack(west: HandoverScene): Promise<void> {
  await west.invite(false)
  await eventually('the account is gone', async () => {
    const account = await west.home.of(serviceAccounts, west.namespace).find(handoverAccount)
    return account === undefined && (await west.config()) === undefined
  })
}
