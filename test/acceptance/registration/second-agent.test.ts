import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { Secret } from '../../../src/core/secret.ts'
import { decisionOn } from '../../../src/fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../../src/fleet/csr/request.ts'
import { annotations, conditions } from '../../../src/fleet/names.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import { generateKey } from '../../../src/pki/index.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, bootstrapUser, isJoined, joinHub, setAccepted } from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { timedPlane } from '../../support/timed-plane.ts'

test(
  'R81: beside a live agent neither another one nor a copy of it is let in, until a person says so',
  needsControlPlane,
  async (t) => {
    // One clock for the hub and all agents, or a stop of the machine would look to the hub like a silent agent.
    const { plane, clock } = await timedPlane(t)
    await joinHub(t, plane, { clock, settings: { autoApprovedUsers: [bootstrapUser] } })
    const first = await agentScene(t, plane, { clock })
    const { cluster } = first
    await eventually('its cluster is there', () => first.admin.of(ManagedCluster.resource).find(cluster))
    const clusters = first.admin.of(ManagedCluster.resource)
    await setAccepted(first.admin, cluster)
    await isJoined(first)
    const { 'agent-name': name = '' } = (await first.secret()) ?? {}
    const accept = (...more: string[]) =>
      lanyard(t, ['accept', cluster, '--requesters', bootstrapUser, '--kubeconfig', plane.adminKubeconfigPath, ...more])
        .ended

    for (const intruder of [{ agentName: 'other' }, { agentName: name }]) {
      const known = new Set((await first.csrs()).map(({ metadata }) => metadata.name))
      const second = await agentScene(t, plane, { clock, cluster, settings: intruder })
      const csr = await eventually('it asks', async () =>
        (await second.csrs()).find(({ metadata }) => !known.has(metadata.name)),
      )
      const seen = await eventually('the hub tells of it', async () => {
        // A copy is told from the agent itself when that renews its lease.
        await clock.advance('1s')
        const found = await first.condition(conditions.duplicateAgent)
        return found?.status === 'True' && found.message.includes(csr.metadata.name) && found
      })
      assert.match(seen.message, /--replace-agent/)
      // Its API server is another matter: the agent that says so is alive.
      await isUnavailable(first)
      const { code, out, err } = await accept()
      assert.equal(code, 1, `${out}${err}`)
      assert.match(err, /ACCEPT_SECOND_AGENT/)
      // Somebody who asks later is approved, so the hub has had its turn with this one.
      await joinsBeside(t, plane, clock, first)
      assert.equal(
        decisionOn((await first.csrs()).find(({ metadata }) => metadata.name === csr.metadata.name) ?? csr),
        'none',
      )
      await second.stop()
      if (intruder.agentName === name) continue
      await first.admin.request({
        method: 'DELETE',
        path: `/apis/certificates.k8s.io/v1/certificatesigningrequests/${csr.metadata.name}`,
      })
    }
    const { code, out, err } = await accept('--replace-agent')
    assert.equal(code, 0, `${out}${err}`)

    const successor = await agentScene(t, plane, { clock, cluster, settings: { agentName: 'successor' } })
    await eventually('it asks', async () =>
      (await first.condition(conditions.duplicateAgent))?.message.includes('Agent successor asks'),
    )
    const replaced = await accept('--replace-agent', '--agent', 'successor')
    assert.equal(replaced.code, 0, `${replaced.out}${replaced.err}`)
    await isJoined(successor)
    const agentName = async () => (await clusters.get(cluster)).metadata.annotations?.[annotations.agentName]
    await eventually('it is on record', agentName, { until: (agent) => agent === 'successor' })
    const { 'tls.crt': certPem = '', 'tls.key': key = '' } = (await first.secret()) ?? {}
    const own = kubeClient(t, plane.connection({ certificate: { certPem, keyPem: Secret.of(key) } }))
    const csrs = own.of(certificateSigningRequests)
    const renewal = await csrs.create(await csrObject(agentOrder(cluster, name), generateKey().keyPem))
    await eventually('the hub tells of its renewal', async () =>
      (await first.condition(conditions.duplicateAgent))?.message.includes(renewal.metadata.name),
    )
    await joinsBeside(t, plane, clock, first)
    assert.equal(decisionOn(await csrs.get(renewal.metadata.name)), 'none')
    assert.equal(await agentName(), 'successor')
  },
)

async function isUnavailable({ admin, cluster }: AgentScene): Promise<void> {
  const clusters = admin.of(ManagedCluster.resource)
  const { status } = await clusters.get(cluster)
  const found = (status?.conditions ?? []).map((one) =>
    one.type === conditions.available ? { ...one, status: 'False' as const } : one,
  )
  await clusters.patch(cluster, { type: 'merge', body: { status: { conditions: found } } }, { subresource: 'status' })
}

async function joinsBeside(
  t: Parameters<typeof agentScene>[0],
  plane: Parameters<typeof agentScene>[1],
  clock: FakeClock,
  { admin }: AgentScene,
) {
  const beside = await agentScene(t, plane, { clock })
  await eventually('its cluster is there', () => admin.of(ManagedCluster.resource).find(beside.cluster))
  await setAccepted(admin, beside.cluster)
  await isJoined(beside)
  await beside.stop()
}
