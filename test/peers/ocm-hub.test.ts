/** Our agent is one of OCM's fleet. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { agentNamespace, agentSecrets, agentUser, conditions } from '../../src/fleet/names.ts'
import { secrets } from '../../src/kube/kinds.ts'
import { bootstrapManifests } from '../../src/registration/manifests/bootstrap.ts'
import { reasons } from '../../src/registration/reasons.ts'
import { csrsOf, decide, setAccepted } from '../support/agent-scene.ts'
import { freePort } from '../support/control-plane/ports.ts'
import { eventually } from '../support/eventually.ts'
import { installFleetKinds } from '../support/fleet-scene.ts'
import { agentProcess } from '../support/hub-process.ts'
import { lanyard } from '../support/lanyard.ts'
import { askOwn, startOcmHub, withOutputOf } from '../support/ocm-peer.ts'
import type { Fleet } from '../support/ocm-scene.ts'
import { beatEachSecond, hubPlanes, onTheHub, outputOf, patience, twoPlanes } from '../support/ocm-scene.ts'
import { tempDir } from '../support/temp-dir.ts'

const cluster = 'east'

/** OCM's controller on one side, `lanyard join` and `lanyard agent` on the other; the agent has just been started. */
async function ourAgentAtOcmHub(t: TestContext, { hub, spoke, onHub, onSpoke }: Fleet) {
  await installFleetKinds(onHub)
  const controller = await startOcmHub(t, hub.adminKubeconfigPath)
  await applyManifests(onHub, bootstrapManifests(), t.signal)
  const run = async (...args: string[]) => {
    const { code, out, err } = await lanyard(t, args).ended
    assert.equal(code, 0, `${out}${err}`)
    return out
  }
  const [tokenFile, caFile] = ['token', 'ca.crt'].map((name) => join(tempDir(t), name)) as [string, string]
  const invited = JSON.parse(await run('token', '--kubeconfig', hub.adminKubeconfigPath, '-o', 'json'))
  writeFileSync(tokenFile, invited['hub-token'], { mode: 0o600 })
  writeFileSync(caFile, hub.caPem)
  const at = ['--hub-apiserver', hub.url, '--ca-file', caFile, '--hub-token-file', tokenFile]
  await run('join', '--kubeconfig', spoke.adminKubeconfigPath, ...at, '--cluster-name', cluster)
  const port = await freePort()
  const agent = await agentProcess(t, spoke, onSpoke, agentNamespace, '--listen', `127.0.0.1:${port}`)
  return {
    programs: { "OCM's controller": controller, 'lanyard agent': outputOf(agent) },
    readiness: () => askOwn(port, '/readyz'),
  }
}

for (const plane of hubPlanes)
  test(`our agent joins OCM's hub on ${plane.name}, is available, renews, and is denied`, plane.needs, async (t) => {
    const fleet = await twoPlanes(t, plane)
    const { onHub, onSpoke } = fleet
    const { programs, readiness } = await ourAgentAtOcmHub(t, fleet)
    const seen = onTheHub(onHub, cluster)
    const isReady = () => eventually('it is ready', async () => (await readiness())?.code === 200, patience)

    await withOutputOf(programs, async () => {
      const asked = await eventually('it asks', async () => (await csrsOf(onHub, cluster))[0], patience)
      const made = await eventually('its cluster is there', seen.get, patience)
      assert.equal(made.spec?.hubAcceptsClient, false)

      await decide(onHub, asked.metadata.name, 'Approved')
      await setAccepted(onHub, cluster)
      await seen.becomes(conditions.accepted, 'True', reasons.HubClusterAdminAccepted)
      await seen.becomes(conditions.joined, 'True', reasons.ManagedClusterJoined)
      await seen.becomes(conditions.available, 'True', reasons.ManagedClusterAvailable)
      await seen.becomes(conditions.certificateRotated, 'True', reasons.ClientCertificateUpdated)
      await isReady()

      await beatEachSecond(onHub, cluster)
      await seen.beats(3)
      await seen.becomes(conditions.clockSynced, 'True', reasons.ManagedClusterClockSynced)

      const kept = onSpoke.of(secrets, agentNamespace)
      const { data } = await kept.get(agentSecrets.hubKubeconfig)
      await kept.delete(agentSecrets.hubKubeconfig)
      const renewed = await eventually(
        'it has a new certificate',
        async () => (await kept.find(agentSecrets.hubKubeconfig))?.data?.['tls.crt'],
        patience,
      )
      assert.notEqual(renewed, data?.['tls.crt'])
      const [, renewal] = await csrsOf(onHub, cluster)
      assert.equal(renewal?.spec.username, agentUser(cluster, atob(data?.['agent-name'] ?? '')))
      assert.equal(renewal?.status?.conditions?.[0]?.reason, 'AutoApprovedByHubCSRApprovingController')

      await setAccepted(onHub, cluster, false)
      await seen.isDenied()
      const unready = await eventually('it knows', readiness, { ...patience, until: (answer) => answer?.code === 500 })
      assert.match(unready.text, /AwaitingAcceptance: the hub took its acceptance .* back/)
      await seen.becomes(conditions.available, 'Unknown', reasons.ManagedClusterLeaseUpdateStopped)

      await setAccepted(onHub, cluster)
      await seen.becomes(conditions.available, 'True', reasons.ManagedClusterAvailable)
      await seen.beats(2)
      await isReady()
    })
  })
