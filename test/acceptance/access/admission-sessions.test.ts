/** What the hub says to writes of sessions before they are stored, while it runs as nobody but itself. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { BreakglassEscalation } from '../../../src/apis/breakglass/breakglass-escalation.ts'
import type { SessionSpec, SessionStatus } from '../../../src/apis/breakglass/breakglass-session.ts'
import { BreakglassSession } from '../../../src/apis/breakglass/breakglass-session.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { clientAs } from '../../support/access-scene.ts'
import { hubOf, serveAccessWebhooks, writerOf } from '../../support/access-webhook-scene.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { allow } from '../../support/webhook-scene.ts'

describe('writes of sessions', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let hub: Kube
  /** Somebody who may write sessions and their status. */
  let writer: Kube
  before(async () => {
    timed = await timedPlane(suite)
    const { plane, clock } = timed
    const admin = kubeClient(suite, plane.connection())
    hub = await hubOf(suite, plane, admin)
    scene = await breakglassScene(suite, plane, { clock, hub })
    await serveAccessWebhooks(suite, scene.admin, scene.hub.webhooks)
    writer = await writerOf(suite, plane, scene.admin)
  })
  type Story = Awaited<ReturnType<BreakglassScene['story']>>
  const sessions = (kube: Kube) => kube.of(BreakglassSession.resource, scene.namespace)
  const requested = async ({ dev, cluster, group }: Story, more: object = {}): Promise<string> => {
    const { status, body } = await dev.request(cluster, group, more)
    assert.equal(status, 201, JSON.stringify(body))
    return body.metadata.name
  }
  const create = (spec: Partial<SessionSpec>, metadata: object = {}) =>
    sessions(writer).create({ metadata: { name: uniqueName('by-hand'), ...metadata }, spec: spec as SessionSpec })
  const refuses = async (spec: Partial<SessionSpec>, words: RegExp, metadata: object = {}) => {
    const { code, message } = await refusalOf(create(spec, metadata))
    assert.deepEqual([code, words.test(message)], [400, true], message)
  }
  const writeStatus = (kube: Kube, name: string, status: Partial<SessionStatus>) =>
    sessions(kube).patch(name, { type: 'merge', body: { status } }, { subresource: 'status' })

  test('a whole life goes by without a word against it', async () => {
    const story = await scene.story({ escalation: { idleTimeout: '10m', emergencyBypass: { enabled: true } } })
    const name = await requested(story, { duration: 1_200 })
    assert.equal((await story.lead.act(name, 'approve')).status, 200)
    await eventually('it grants', async () => (await scene.ask(story.cluster, 'dev@example.com')).body.status?.allowed)
    await eventually('its use is written down', async () => {
      await timed.clock.advance(1_000)
      return (await scene.session(name)).status?.lastActivity !== undefined
    })
    assert.equal((await story.dev.act(name, 'extend', { duration: 600, reason: 'more' })).status, 200)
    assert.equal((await story.lead.act(name, 'approve')).status, 200)
    assert.equal((await story.dev.act(name, 'drop')).status, 200)
    await eventually('all is told', async () => {
      const { status } = await scene.session(name)
      return (status?.told ?? 0) >= (status?.history?.at(-1)?.seq ?? 1)
    })
    const urgent = await requested(story, { emergency: true, reason: 'all is down' })
    const { status } = await scene.session(urgent)
    assert.deepEqual([status?.state, status?.review !== undefined], ['Approved', true])
    assert.equal((await story.lead.act(urgent, 'cancel')).status, 200)
    assert.equal((await story.lead.act(urgent, 'review', { verdict: 'Justified' })).status, 200)
  })

  test('A55: what ended stays ended, and what was asked for does not change, whoever tries', async () => {
    const endings: [string, (story: Story) => Promise<string>][] = [
      [
        'Withdrawn',
        async (story) => {
          const name = await requested(story)
          await story.dev.act(name, 'withdraw')
          return name
        },
      ],
      [
        'Rejected',
        async (story) => {
          const name = await requested(story)
          await story.lead.act(name, 'reject')
          return name
        },
      ],
      [
        'Expired',
        async (story) => {
          const name = await requested(story)
          await story.lead.act(name, 'approve')
          await story.lead.act(name, 'cancel')
          return name
        },
      ],
    ]
    for (const [state, make] of endings) {
      const story = await scene.story()
      const name = await make(story)
      await scene.reaches(name, state)
      for (const [action, who] of [
        ['approve', story.lead],
        ['reject', story.lead],
        ['cancel', story.lead],
        ['withdraw', story.dev],
        ['drop', story.dev],
      ] as const)
        assert.equal((await who.act(name, action)).status, 400, `${action} of ${state}`)
      const revived = { state: 'Approved' as const, expiresAt: '2099-01-01T00:00:00Z' }
      for (const kube of [writer, scene.admin, hub]) {
        const { code, message } = await refusalOf(writeStatus(kube, name, revived))
        assert.deepEqual([code, /status\.state/.test(message)], [400, true], message)
      }
      for (const spec of [{ user: 'other' }, { maxValidFor: '9h' }, { cluster: 'other' }])
        for (const kube of [writer, hub]) {
          const { code, message } = await refusalOf(sessions(kube).patch(name, { type: 'merge', body: { spec } }))
          assert.deepEqual([code, /^.*spec: what was asked for does not change/.test(message)], [400, true], message)
        }
      assert.equal((await scene.session(name)).status?.state, state)
    }
  })

  test('A55b: nobody but the hub writes a status, and not even the hub without approvals', async () => {
    const story = await scene.story()
    const name = await requested(story)
    const now = timed.clock.now().toISOString()
    const granted: Partial<SessionStatus> = {
      state: 'Approved',
      approvedAt: now,
      expiresAt: '2099-01-01T00:00:00Z',
      approvals: [{ approver: 'lead@example.com', at: now }],
    }
    for (const kube of [writer, scene.admin]) {
      const { code, message } = await refusalOf(writeStatus(kube, name, granted))
      assert.deepEqual([code, /only the hub itself/.test(message)], [403, true], message)
    }
    const { approvals: _, ...unapproved } = granted
    const { code, message } = await refusalOf(writeStatus(hub, name, unapproved))
    assert.deepEqual([code, /status\.approvals: must hold 1/.test(message)], [400, true], message)
    assert.equal((await scene.session(name)).status?.state, 'Pending')
    // Who may change objects may put labels on them, but not on the slot, and not another owner.
    const patch = (metadata: object) => sessions(writer).patch(name, { type: 'merge', body: { metadata } })
    await patch({ labels: { team: 'a' } })
    assert.equal((await refusalOf(patch({ labels: { 'lanyard.io/slot': '0123456789abcdef' } }))).code, 400)
    const { metadata } = await scene.session(name)
    const [owner] = metadata.ownerReferences ?? []
    const other = [{ ...owner, uid: '00000000-0000-0000-0000-000000000000' }]
    assert.equal((await refusalOf(patch({ ownerReferences: other }))).code, 403)
    for (const gone of [{ ownerReferences: [] }, { labels: { 'lanyard.io/slot': null } }, { finalizers: [] }])
      assert.equal((await refusalOf(patch(gone))).code, 403, JSON.stringify(gone))
    assert.equal((await patch({ annotations: { 'lanyard.io/created-by': 'x' } })).metadata.annotations, undefined)
  })

  test('one that is made by hand needs a cluster, an escalation and a free slot, and asks for no more than it may', async () => {
    const story = await scene.story({ escalation: { maxValidFor: '30m', minApprovals: 1, denyPolicyRefs: [] } })
    const { cluster, group } = story
    const good = { cluster, user: 'hand@example.com', grantedGroup: group, maxValidFor: '30m' }
    await refuses({ ...good, cluster: uniqueName('nowhere') }, /spec\.cluster: there is no ClusterConfig/)
    await refuses({ ...good, grantedGroup: 'cluster-admin' }, /no escalation that is Ready leads to cluster-admin/)
    await refuses({ ...good, maxValidFor: '31m' }, /spec\.maxValidFor: must be shorter, as the escalation has it/)
    await refuses({ ...good, emergency: true }, /spec\.emergency/)
    const soon = new Date(timed.clock.now().getTime() + 240_000).toISOString()
    await refuses({ ...good, scheduledStartTime: soon }, /spec\.scheduledStartTime: must be at least 5 minutes/)
    const lax = await scene.escalation({
      escalatedGroup: uniqueName('lax'),
      allowed: { clusters: [cluster], groups: ['devs'] },
      approvers: { users: ['hand@example.com'] },
    })
    const { uid } = (await scene.admin.of(BreakglassEscalation.resource, scene.namespace).get(lax)).metadata
    const apiVersion = 'breakglass.t-caas.telekom.com/v1alpha1'
    const ownerReferences = [{ apiVersion, kind: 'BreakglassEscalation', name: lax, uid, controller: true }]
    await refuses(good, /no escalation that is Ready/, { ownerReferences })

    await refuses({ ...good, clusterConfigRef: 'other' }, /spec\.clusterConfigRef/)
    await refuses({ ...good, requestedBy: { email: 'lead@example.com' } }, /spec\.requestedBy/)
    await refuses({ ...good, identityProviderName: uniqueName('nobody') }, /spec\.identityProviderName/)
    const forged = { annotations: { 'lanyard.io/created-by': 'somebody' } }
    const { metadata } = await create(good, forged)
    assert.match(metadata.annotations?.['lanyard.io/created-by'] ?? '', /^writer/)
    await scene.reaches(metadata.name, 'Pending')
    await refuses(good, /another session of the same cluster, user and group lives already/)
    assert.equal((await story.lead.act(metadata.name, 'approve')).status, 200)
  })

  test('F8a: a session for an unknown cluster, or for a group that no escalation leads to, is refused for the hub too', async () => {
    const { cluster, group } = await scene.story()
    const asHub = (spec: Partial<SessionSpec>) =>
      sessions(hub).create({
        metadata: { name: uniqueName('of-the-hub') },
        spec: { cluster, user: 'dev@example.com', grantedGroup: group, ...spec },
      })
    const refusals: [Partial<SessionSpec>, RegExp][] = [
      [{ cluster: uniqueName('nowhere') }, /spec\.cluster: there is no ClusterConfig nowhere/],
      [{ grantedGroup: 'system:masters' }, /spec\.grantedGroup: no escalation that is Ready leads to system:masters/],
      [{ escalation: uniqueName('other') }, /spec\.grantedGroup: no escalation that is Ready/],
    ]
    for (const [spec, words] of refusals)
      for (const make of [
        asHub,
        (more: Partial<SessionSpec>) => create({ cluster, user: 'x', grantedGroup: group, ...more }),
      ]) {
        const { code, message } = await refusalOf(make(spec))
        assert.deepEqual([code, words.test(message)], [400, true], message)
      }
    await asHub({})
  })

  test('what lives or has to be reviewed is not deleted, and with its escalation it goes all the same', async () => {
    const story = await scene.story({ escalation: { emergencyBypass: { enabled: true } } })
    const remove = (name: string) => sessions(scene.admin).delete(name)
    const urgent = await requested(story, { emergency: true, reason: 'all is down' })
    assert.match((await refusalOf(remove(urgent))).message, /lives: end it with `lanyard access drop/)
    assert.equal((await story.lead.act(urgent, 'cancel')).status, 200)
    assert.match((await refusalOf(remove(urgent))).message, /`lanyard access review/)
    assert.equal((await story.lead.act(urgent, 'review', { verdict: 'Justified' })).status, 200)
    await remove(urgent)
    await eventually('it is gone', async () => (await sessions(scene.admin).find(urgent)) === undefined)

    const name = await requested(story)
    assert.equal((await story.lead.act(name, 'approve')).status, 200)
    // As whoever collects garbage does it when the escalation is gone.
    const janitor = 'system:kube-controller-manager'
    const apiGroups = [BreakglassSession.resource.group]
    await allow(scene.admin, janitor, [{ apiGroups, resources: ['breakglasssessions'], verbs: ['delete'] }])
    await sessions(await clientAs(suite, timed.plane, janitor)).delete(name)
    await eventually('it is gone', async () => (await sessions(scene.admin).find(name)) === undefined)
  })
})
