import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { decisionOn } from '../../../src/fleet/csr/approval.ts'
import { conditions } from '../../../src/fleet/names.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, bootstrapUser, isJoined, joinHub, setAccepted } from '../../support/agent-scene.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { lanyard } from '../../support/lanyard.ts'

test(
  'R81: beside a live agent neither another one nor a copy of it is let in, until a person says so',
  needsControlPlane,
  async (t) => {
    const plane = await startControlPlane(t, {})
    await joinHub(t, plane, { settings: { autoApprovedUsers: [bootstrapUser] } })
    const first = await agentScene(t, plane)
    const { cluster } = first
    await eventually('its cluster is there', () => first.admin.of(ManagedCluster.resource).find(cluster))
    const body = { spec: { hubAcceptsClient: true, leaseDurationSeconds: 2 } }
    await first.admin.of(ManagedCluster.resource).patch(cluster, { type: 'merge', body })
    await isJoined(first)
    const { 'agent-name': name = '' } = (await first.secret()) ?? {}
    const accept = (...more: string[]) =>
      lanyard(t, ['accept', cluster, '--requesters', bootstrapUser, '--kubeconfig', plane.adminKubeconfigPath, ...more])
        .ended

    for (const intruder of [{ agentName: 'other' }, { agentName: name }]) {
      const known = new Set((await first.csrs()).map(({ metadata }) => metadata.name))
      const second = await agentScene(t, plane, { cluster, settings: intruder })
      const csr = await eventually('it asks', async () =>
        (await second.csrs()).find(({ metadata }) => !known.has(metadata.name)),
      )
      const seen = await eventually(
        'the hub tells of it',
        async () => {
          const found = await first.condition(conditions.duplicateAgent)
          return found?.status === 'True' && found.message.includes(csr.metadata.name) && found
        },
        { withinMs: 20_000 },
      )
      assert.match(seen.message, /--replace-agent/)
      const { code, err } = await accept()
      assert.equal(code, 1)
      assert.match(err, /ACCEPT_SECOND_AGENT/)
      // Somebody who asks later is approved, so the hub has had its turn with this one.
      await joinsBeside(t, plane, first)
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
  },
)

async function joinsBeside(
  t: Parameters<typeof agentScene>[0],
  plane: Parameters<typeof agentScene>[1],
  { admin }: AgentScene,
) {
  const beside = await agentScene(t, plane)
  await eventually('its cluster is there', () => admin.of(ManagedCluster.resource).find(beside.cluster))
  await setAccepted(admin, beside.cluster)
  await isJoined(beside)
  await beside.stop()
}
