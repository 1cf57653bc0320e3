import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../../src/core/conditions.ts'
import { judgeClusterRequest } from '../../../src/fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../../src/fleet/csr/request.ts'
import { renewalReview } from '../../../src/fleet/csr/requester.ts'
import { annotations, conditions } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, events, subjectAccessReviews } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { generateKey } from '../../../src/pki/index.ts'
import { csrHubDriver } from '../../../src/registration/drivers/csr/hub.ts'
import { autoAcceptanceController } from '../../../src/registration/hub/auto-acceptance.ts'
import { membershipRuns } from '../../../src/registration/hub/membership/index.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { approvalReason, csrScene, startedOnce } from '../../support/csr-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { condition } from '../../support/membership-scene.ts'

const listed = 'listed-user'
const stranger = 'stranger'

/** A hub with the gate on, without webhooks. */
const scene = startedOnce(async (t) => {
  const plane = await startControlPlane(t, {})
  const hub = await hubScene(t, plane, {
    settings: { autoApprovedUsers: [listed] },
    parts(deps) {
      const driver = csrHubDriver(deps)
      return [driver.run, autoAcceptanceController(deps, [driver]).run, ...membershipRuns(deps, [driver])]
    },
  })
  return { t, plane, ...hub, ...(await csrScene(t, plane)) }
})

const setAccepted = (kube: Kube, name: string, hubAcceptsClient: boolean) =>
  kube.of(ManagedCluster.resource).patch(name, { type: 'merge', body: { spec: { hubAcceptsClient } } })

const accepted = async (name: string) => {
  const { cluster } = await scene()
  return await eventually(`${name} is accepted`, () => cluster(name), {
    until: ({ spec }) => spec?.hubAcceptsClient === true,
  })
}

/** A cluster of the listed user that comes later and is let in: what came before has been looked at. */
async function afterALaterOne(name: string): Promise<void> {
  const { user, createCluster, ask } = await scene()
  const boot = await user(listed)
  await createCluster(name, {}, boot)
  await ask(boot, name, 'a1')
  await accepted(name)
}

describe('a hub that approves and accepts', needsControlPlane, () => {
  test('R35: the cluster of a listed user joins unattended, and a later denial sticks', needsControlPlane, async () => {
    const { t, plane, admin, cluster, user, createCluster, approved, ask, decision } = await scene()
    const boot = await user(listed)
    await createCluster('alone', {}, boot)
    const { keyPem } = generateKey()
    const asked = await boot.of(certificateSigningRequests).create(await csrObject(agentOrder('alone', 'a1'), keyPem))
    assert.equal(approvalReason(await approved(asked)), 'AutoApprovedByHubCSRApprovingController')
    const { metadata } = await accepted('alone')
    assert.match(metadata.annotations?.[annotations.automaticallyAcceptedOn] ?? '', /^\d{4}-\d\d-\d\dT[\d:]+Z$/)
    await condition({ cluster }, 'alone', conditions.accepted, 'True', 'HubClusterAdminAccepted')

    const certPem = await eventually('the certificate is issued', async () => {
      const { status } = await admin.of(certificateSigningRequests).get(asked.metadata.name)
      return status?.certificate !== undefined && Buffer.from(status.certificate, 'base64').toString()
    })
    const agent = kubeClient(t, plane.connection({ certificate: { certPem, keyPem } }))
    const joined = {
      type: conditions.joined,
      status: 'True',
      reason: 'ManagedClusterJoined',
      message: 'Managed cluster joined',
      lastTransitionTime: rfc3339(new Date()),
    }
    const before = (await agent.of(ManagedCluster.resource).get('alone')).status?.conditions ?? []
    await agent
      .of(ManagedCluster.resource)
      .patch(
        'alone',
        { type: 'merge', body: { status: { conditions: [...before, joined] } } },
        { subresource: 'status' },
      )
    const reasons = await eventually('people are told', async () => {
      const { items } = await admin.of(events).list({ fieldSelector: 'involvedObject.name=alone' })
      return items.length >= 2 && items.map(({ reason }) => reason)
    })
    for (const reason of ['ManagedClusterAutoApproved', 'ManagedClusterAutoAccepted'])
      assert.ok(reasons.includes(reason), reason)

    await setAccepted(admin, 'alone', false)
    await condition({ cluster }, 'alone', conditions.accepted, 'False', 'HubClusterAdminDenied')
    const [older, newer] = [
      await ask(boot, 'alone', 'a1', { prefix: 'alone-1-' }),
      await ask(boot, 'alone', 'a1', { prefix: 'alone-2-' }),
    ]
    await eventually('the hub has looked at both requests', async () => (await decision(older)) === 'gone')
    await afterALaterOne('after-denial')
    assert.equal(await decision(newer), 'none')
    assert.equal((await cluster('alone')).spec?.hubAcceptsClient, false)
  })

  test('R15: once a cluster is denied, the renewal of its agent is not approved', needsControlPlane, async () => {
    const { admin, cluster, createCluster, agent, ask, approved, decision } = await scene()
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
    await eventually('the hub has looked at both requests', async () => (await decision(older)) === 'gone')
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
    await ask(boot, 'recorded', 'a1')
    await createCluster('silent', {}, other)
    await afterALaterOne('after-foreign')
    for (const name of ['foreign', 'recorded', 'silent'])
      assert.notEqual((await cluster(name)).spec?.hubAcceptsClient, true, name)
    assert.equal(await decision(asked), 'none')
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
})
