/** Whether the roles of access say what the hub does: no less, or it is refused something, and no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessHubNamespaceRules, accessHubRules } from '../../../src/access/manifests/hub-rbac.ts'
import { auditHeads } from '../../../src/access/names.ts'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { MailProvider } from '../../../src/apis/breakglass/mail-provider.ts'
import { configMaps, events, namespaces, secrets } from '../../../src/kube/kinds.ts'
import { reachHubRules } from '../../../src/reach/manifests/hub-rbac.ts'
import { clientAs, grant } from '../../support/access-scene.ts'
import { serveAccessWebhooks } from '../../support/access-webhook-scene.ts'
import { auditPolicy, refusedOf, rightsIn, rightsUsed } from '../../support/accounts-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { allow } from '../../support/webhook-scene.ts'

/** What a life without mishaps does not need. */
const unusedByHub: Readonly<Record<string, string>> = {
  'get mailproviders.breakglass.t-caas.telekom.com': 'where another wrote at the same time',
  'get auditconfigs.breakglass.t-caas.telekom.com': 'where another wrote at the same time',
  'get denypolicies.breakglass.t-caas.telekom.com': 'where another wrote at the same time',
  'get breakglassescalations.breakglass.t-caas.telekom.com': 'where another wrote at the same time',
  'get identityproviders.breakglass.t-caas.telekom.com': 'where it is named and not yet watched',
  'get events': 'of one that another process told before',
  'patch events': 'of one that was told before',
  [`get configmaps ${auditHeads}`]: 'where heads of writers that ended long ago are looked for',
  [`create configmaps ${auditHeads}`]: 'asked for by the first patch, and audited as that',
}

test(
  'the hub is refused nothing that access needs, and has no right that it does not use',
  needsControlPlane,
  async (t) => {
    const plane = await startControlPlane(t, { auditPolicy })
    const admin = kubeClient(t, plane.connection())
    await installFleetKinds(admin)
    const [namespace, hubUser] = [uniqueName('hub'), uniqueName('the-hub')]
    await admin.of(namespaces).create(aNamespace(namespace))
    await grant(admin, namespace, [hubUser], ...accessHubNamespaceRules())
    await allow(admin, hubUser, [...reachHubRules(), ...accessHubRules()])
    const clock = new FakeClock(new Date())
    const scene = await breakglassScene(t, plane, { clock, namespace, hub: await clientAs(t, plane, hubUser) })
    await serveAccessWebhooks(t, admin, scene.hub.webhooks)

    const basic = (name: string, data: Record<string, string>) =>
      admin.of(secrets, namespace).create({ metadata: { name }, stringData: data })
    await basic('sink', { token: 'a' })
    await basic('smtp', { password: 'a' })
    const sinks = [
      { name: 'events', type: 'kubernetes' as const },
      { name: 'log', type: 'log' as const },
      {
        ...{ name: 'webhook', type: 'webhook' as const },
        webhook: { url: 'http://127.0.0.1:1', authSecretRef: { name: 'sink', namespace } },
      },
    ]
    await admin.of(AuditConfig.resource).create({ metadata: { name: 'audit' }, spec: { sinks } })
    const passwordRef = { name: 'smtp', namespace, key: 'password' }
    const smtp = { host: '127.0.0.1', port: 1, username: 'u', passwordRef }
    await admin.of(MailProvider.resource).create({
      metadata: { name: 'mail' },
      spec: { smtp, sender: { address: 'a@example.com' }, default: true },
    })
    await scene.policy({ rules: [{ verbs: ['delete'], apiGroups: [''], resources: ['nodes'] }] })

    const story = await scene.story({ escalation: { maxValidFor: '6h', retainFor: '1m', idleTimeout: '1h' } })
    const { status, body } = await story.dev.request(story.cluster, story.group)
    assert.equal(status, 201, JSON.stringify(body))
    const name: string = body.metadata.name
    assert.equal((await story.lead.act(name, 'approve')).status, 200)
    await eventually('it grants', async () => (await scene.ask(story.cluster, 'dev@example.com')).body.status?.allowed)
    await eventually('its use is written down', async () => {
      await clock.advance(1_000)
      return (await scene.session(name)).status?.lastActivity !== undefined
    })
    assert.equal((await story.dev.act(name, 'drop')).status, 200)
    const byHand = { cluster: story.cluster, user: 'hand@example.com', grantedGroup: story.group, idleTimeout: '1h' }
    await admin.of(BreakglassSession.resource, namespace).create({ metadata: { name: 'by-hand' }, spec: byHand })
    await eventually(
      'it is labelled',
      async () => (await scene.session('by-hand')).metadata.labels?.['lanyard.io/slot'],
    )
    await eventually('what ended is deleted', async () => {
      await clock.advance('1m')
      return (await admin.of(BreakglassSession.resource, namespace).find(name)) === undefined
    })
    await admin.of(ClusterConfig.resource, namespace).delete(story.cluster)
    const ended = await scene.reaches('by-hand', 'Expired')
    assert.equal(ended.status?.reasonEnded, 'clusterDeleted')
    await eventually(
      'the cluster is gone',
      async () => !(await admin.of(ClusterConfig.resource, namespace).find(story.cluster)),
    )
    const early = uniqueName('early')
    const token = await scene.webhookToken(early)
    const { spec } = await admin.of(ClusterConfig.resource, namespace).get(await scene.cluster())
    await admin.of(ClusterConfig.resource, namespace).create({ metadata: { name: early }, spec })
    await eventually('a token from before it is bound to its cluster', async () => {
      const { status: answered, body: answer } = await scene.ask(early, 'dev@example.com', {}, { token })
      return answered === 200 && !answer.status.reason.includes('not registered')
    })
    await eventually('the audit is anchored', async () => {
      await clock.advance('10s')
      return admin.of(configMaps, namespace).find(auditHeads)
    })
    await eventually('Events tell', async () => {
      const { items } = await admin.of(events, namespace).list()
      return items.some(({ involvedObject }) => involvedObject.kind === BreakglassSession.resource.kind)
    })
    await eventually('the escalation has its conditions', async () => {
      const { status: found } = await admin.of(BreakglassEscalation.resource, namespace).get(story.escalation)
      return found?.conditions?.some(({ type }) => type === 'ApprovalGroupMembersResolved' || type === 'Ready')
    })
    await scene.stop()

    const audited = (await plane.auditEvents()).filter(({ user }) => user.username === hubUser)
    assert.deepEqual(refusedOf(audited), [])
    const used = new Set(audited.flatMap(rightsUsed))
    const held = rightsIn([...accessHubRules(), ...accessHubNamespaceRules()])
    const known = Object.keys(unusedByHub)
    assert.deepEqual(
      held.filter((right) => !used.has(right) && !known.includes(right)),
      [],
    )
  },
)
