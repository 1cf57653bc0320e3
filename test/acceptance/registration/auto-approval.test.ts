import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { decisionOn, judgeClusterRequest } from '../../../src/fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../../src/fleet/csr/request.ts'
import { renewalReview } from '../../../src/fleet/csr/requester.ts'
import { annotations, conditions, labels } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, events, namespaces, subjectAccessReviews } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { generateKey } from '../../../src/pki/index.ts'
import { csrHubDriver } from '../../../src/registration/drivers/csr/hub.ts'
import { autoAcceptanceController } from '../../../src/registration/hub/auto-acceptance.ts'
import { membershipRuns } from '../../../src/registration/hub/membership/index.ts'
import { agentScene, bootstrapUser, isJoined, joinHub } from '../../support/agent-scene.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { approvalReason, csrScene, startedOnce } from '../../support/csr-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { condition } from '../../support/membership-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { serveWebhooks } from '../../support/webhook-scene.ts'

const listed = 'listed-user'
const stranger = 'stranger'

/** A hub with the gate on, without webhooks. */
const scene = startedOnce(async (t) => {
  const timed = await timedPlane(t)
  const { plane, clock } = timed
  const hub = await hubScene(t, plane, {
    clock,
    settings: { autoApprovedUsers: [listed] },
    parts(deps) {
      const driver = csrHubDriver(deps)
      return [driver.run, autoAcceptanceController(deps, [driver]).run, ...membershipRuns(deps, [driver])]
    },
  })
  return { ...timed, ...hub, ...(await csrScene(t, plane)) }
})

/** The whole hub of registration but its sets, with the gate on for the bootstrap user. */
const unattendedHub = (t: TestScope, plane: ControlPlane) =>
  joinHub(t, plane, {
    settings: { autoApprovedUsers: [bootstrapUser] },
    parts: (deps) => [autoAcceptanceController(deps, [csrHubDriver(deps)]).run],
  })

const setAccepted = (kube: Kube, name: string, hubAcceptsClient: boolean) =>
  kube.of(ManagedCluster.resource).patch(name, { type: 'merge', body: { spec: { hubAcceptsClient } } })

/** Lets the hub's retries come due while it waits. */
async function soon<T>(what: string, probe: () => T | Promise<T>) {
  const { clock } = await scene()
  return await eventually(what, async () => {
    await clock.advance(100)
    return await probe()
  })
}

const accepted = (name: string) =>
  soon(`${name} is accepted`, async () => {
    const { cluster } = await scene()
    const now = await cluster(name)
    return now.spec?.hubAcceptsClient === true && now
  })

/** A cluster of the listed user that comes later and is let in: what came before has been looked at. */
async function afterALaterOne(name: string): Promise<void> {
  const { user, createCluster, ask } = await scene()
  const boot = await user(listed)
  await createCluster(name, {}, boot)
  await ask(boot, name, 'a1')
  await accepted(name)
}

describe('a hub that approves and accepts', needsControlPlane, () => {
  test(
    'R35: the cluster of a listed user joins unattended, and a later denial sticks',
    needsControlPlane,
    async (t) => {
      const plane = await startControlPlane(t, {})
      const { admin } = await serveWebhooks(t, plane)
      const hub = await unattendedHub(t, plane)
      const agent = await agentScene(t, plane)
      await isJoined(agent)
      const { metadata } = await hub.cluster(agent.cluster)
      assert.equal(metadata.annotations?.[annotations.createdBy], bootstrapUser)
      assert.match(metadata.annotations?.[annotations.automaticallyAcceptedOn] ?? '', /^\d{4}-\d\d-\d\dT[\d:]+Z$/)
      await condition(hub, agent.cluster, conditions.accepted, 'True', 'HubClusterAdminAccepted')
      const [asked] = await agent.csrs()
      assert.ok(asked)
      assert.equal(approvalReason(asked), 'AutoApprovedByHubCSRApprovingController')
      await eventually('people are told', async () => {
        const { items } = await admin.of(events).list({ fieldSelector: `involvedObject.name=${agent.cluster}` })
        const told = items.map(({ reason }) => reason)
        return ['ManagedClusterAutoApproved', 'ManagedClusterAutoAccepted'].every((reason) => told.includes(reason))
      })

      await setAccepted(admin, agent.cluster, false)
      await condition(hub, agent.cluster, conditions.accepted, 'False', 'HubClusterAdminDenied')
      // Also for a hub that comes later and finds no trace of the acceptance but what admission recorded.
      await hub.stop()
      const clusters = admin.of(ManagedCluster.resource)
      const bare = { metadata: { finalizers: null, annotations: { [annotations.automaticallyAcceptedOn]: null } } }
      await clusters.patch(agent.cluster, { type: 'merge', body: bare })
      const noConditions = { type: 'merge', body: { status: { conditions: null } } } as const
      await clusters.patch(agent.cluster, noConditions, { subresource: 'status' })
      const bootstrap = await plane.issueClientCertificate({ commonName: bootstrapUser })
      const boot = kubeClient(t, plane.connection({ certificate: bootstrap }))
      const again = await boot
        .of(certificateSigningRequests)
        .create(await csrObject(agentOrder(agent.cluster, 'again'), generateKey().keyPem))
      const next = await unattendedHub(t, plane)
      await isJoined(await agentScene(t, plane))
      await condition(next, agent.cluster, conditions.accepted, 'False', 'HubClusterAdminDenied')
      assert.equal((await next.cluster(agent.cluster)).spec?.hubAcceptsClient, false)
      assert.equal(decisionOn(await admin.of(certificateSigningRequests).get(again.metadata.name)), 'none')
    },
  )

  test('R15: once a cluster is denied, the renewal of its agent is not approved', needsControlPlane, async () => {
    const { admin, cluster, createCluster, agent, ask, approved, decision, deps, advance } = await scene()
    await createCluster('denied', { hubAcceptsClient: true })
    await condition({ cluster }, 'denied', conditions.accepted, 'True', 'HubClusterAdminAccepted')
    const own = await agent('denied', 'a1')
    const renewal = await approved(await ask(own, 'denied', 'a1', { prefix: 'denied-0-' }))
    assert.equal(approvalReason(renewal), 'AutoApprovedByHubCSRApprovingController')

    await setAccepted(admin, 'denied', false)
    await condition({ cluster }, 'denied', conditions.accepted, 'False', 'HubClusterAdminDenied')
    const [older, newer] = [
      await ask(own, 'denied', 'a1', { prefix: 'denied-1-' }),
      await ask(own, 'denied', 'a1', { prefix: 'denied-2-' }),
    ]
    await soon('the hub has seen both', () => deps.view.csrs.get(newer.metadata.name))
    await advance('31s')
    await soon('the hub has looked at both', async () => (await decision(older)) === 'gone')
    assert.equal(await decision(newer), 'none')
    const judged = judgeClusterRequest(newer)
    assert.ok(typeof judged !== 'string')
    const review = await admin.of(subjectAccessReviews).create(renewalReview(judged))
    assert.equal(review.status?.allowed, false)

    await setAccepted(admin, 'denied', true)
    await approved(newer)
  })

  test('R36: a cluster that somebody else created is not accepted', needsControlPlane, async () => {
    const { cluster, user, createCluster, ask, decision, admin } = await scene()
    const [boot, other] = [await user(listed), await user(stranger)]
    // Nobody wrote down who created it; the stranger's own request says it.
    await createCluster('foreign', {}, other)
    const asked = await ask(other, 'foreign', 'a1')
    // Admission wrote it down: then a listed user's request changes nothing.
    await admin
      .of(ManagedCluster.resource)
      .create({ metadata: { name: 'recorded', annotations: { [annotations.createdBy]: stranger } } })
    const forRecorded = await ask(boot, 'recorded', 'a1')
    await createCluster('silent', {}, other)
    await afterALaterOne('after-foreign')
    for (const name of ['foreign', 'recorded', 'silent'])
      assert.notEqual((await cluster(name)).spec?.hubAcceptsClient, true, name)
    assert.equal(await decision(asked), 'none')
    assert.equal(await decision(forRecorded), 'none', 'nor does its agent get a certificate')
  })

  test(
    'a cluster that admission says a listed user created is accepted before anything is asked',
    needsControlPlane,
    async () => {
      const { admin } = await scene()
      await admin
        .of(ManagedCluster.resource)
        .create({ metadata: { name: 'known', annotations: { [annotations.createdBy]: listed } } })
      await accepted('known')
    },
  )

  test('a cluster is not accepted into a namespace that is not its own', needsControlPlane, async () => {
    const { admin, user, createCluster, ask, cluster } = await scene()
    const boot = await user(listed)
    await admin.of(namespaces).create({ metadata: { name: 'cert-manager' } })
    await admin.of(namespaces).create({ metadata: { name: 'once', labels: { [labels.clusterName]: 'once' } } })
    for (const name of ['cert-manager', 'once']) {
      await createCluster(name, {}, boot)
      await ask(boot, name, 'a1')
    }
    await accepted('once')
    await soon('people are told', async () => {
      const { items } = await admin.of(events).list({ fieldSelector: 'involvedObject.name=cert-manager' })
      return items.some(({ reason }) => reason === 'NamespaceNotOfCluster')
    })
    assert.equal((await cluster('cert-manager')).spec?.hubAcceptsClient, false)
  })
})
