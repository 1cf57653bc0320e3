/** OCM's own agent is one of our fleet. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { Secret } from '../../src/core/secret.ts'
import {
  agentNamespace,
  agentSecrets,
  agentUser,
  annotations,
  clusterGroup,
  commonGroup,
  conditions,
} from '../../src/fleet/names.ts'
import { namespaces, secrets } from '../../src/kube/kinds.ts'
import { fingerprintOf, readRequest } from '../../src/pki/index.ts'
import { bootstrapUser } from '../../src/registration/manifests/bootstrap.ts'
import { reasons } from '../../src/registration/reasons.ts'
import { csrsOf } from '../support/agent-scene.ts'
import { aNamespace } from '../support/builders.ts'
import { eventually } from '../support/eventually.ts'
import { installFleetKinds } from '../support/fleet-scene.ts'
import { hubProcess, prepareHub } from '../support/hub-process.ts'
import { lanyard } from '../support/lanyard.ts'
import { startOcmAgent, withOutputOf } from '../support/ocm-peer.ts'
import type { Fleet } from '../support/ocm-scene.ts'
import { beatEachSecond, hubPlanes, onTheHub, outputOf, patience, twoPlanes } from '../support/ocm-scene.ts'
import { tempDir } from '../support/temp-dir.ts'

const cluster = 'west'

/** `lanyard init` and `lanyard hub` on one side, OCM's agent on the other; it has just been started. */
async function ocmAgentAtOurHub(t: TestContext, { hub, spoke, onHub, onSpoke }: Fleet) {
  const [prepared] = await Promise.all([
    prepareHub(t, hub),
    installFleetKinds(onSpoke).then(() => onSpoke.of(namespaces).create(aNamespace(agentNamespace))),
  ])
  const ours = outputOf(await hubProcess(t, hub, onHub, prepared))
  const dir = tempDir(t)
  const bootstrapKubeconfig = join(dir, 'bootstrap.kubeconfig')
  const token = Secret.of(prepared.invited['hub-token'])
  writeFileSync(bootstrapKubeconfig, hub.kubeconfig({ token }), { mode: 0o600 })
  const agent = await startOcmAgent(t, {
    kubeconfig: spoke.adminKubeconfigPath,
    namespace: agentNamespace,
    cluster,
    bootstrapKubeconfig,
    hubKubeconfigDir: join(dir, 'hub'),
  })
  const run = async (...args: string[]) => {
    const { code, out, err } = await lanyard(t, [...args, '--kubeconfig', hub.adminKubeconfigPath]).ended
    assert.equal(code, 0, `${out}${err}`)
  }
  return { programs: { 'lanyard hub': ours, "OCM's agent": agent }, agent, run }
}

for (const plane of hubPlanes)
  test(
    `an agent of OCM joins our hub on ${plane.name}, is available, renews, and is denied`,
    plane.needs,
    async (t) => {
      const fleet = await twoPlanes(t, plane)
      const { onHub, onSpoke } = fleet
      const { programs, agent, run } = await ocmAgentAtOurHub(t, fleet)
      const seen = onTheHub(onHub, cluster)
      const kept = async () => {
        const { data } = (await onSpoke.of(secrets, agentNamespace).find(agentSecrets.hubKubeconfig)) ?? {}
        return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, atob(value)]))
      }
      /** The certificate in its Secret is the one that the hub has on record. */
      const isRecorded = () =>
        eventually(
          'the hub has its certificate on record',
          async () => {
            const { 'tls.crt': pem, 'agent-name': name } = await kept()
            const noted = (await seen.get())?.metadata?.annotations ?? {}
            assert.ok(pem, 'it has none')
            assert.equal(noted[annotations.certificateFingerprint], fingerprintOf(pem))
            assert.equal(noted[annotations.agentName], name)
            return name as string
          },
          patience,
        )

      await withOutputOf(programs, async () => {
        const asked = await eventually('it asks', async () => (await csrsOf(onHub, cluster))[0], patience)
        const { subject } = readRequest(Buffer.from(asked.spec.request, 'base64').toString())
        assert.deepEqual(subject.organizations.toSorted(), [commonGroup, clusterGroup(cluster)].toSorted())
        assert.equal(asked.metadata.generateName, `${cluster}-`)
        const made = await eventually('its cluster is there', seen.get, patience)
        assert.equal(made.spec?.hubAcceptsClient, false)
        assert.equal(made.metadata?.annotations?.[annotations.createdBy], bootstrapUser)

        await run('accept', cluster, '--wait', '--timeout', '60')
        await seen.becomes(conditions.accepted, 'True', reasons.HubClusterAdminAccepted)
        await seen.becomes(conditions.joined, 'True', reasons.ManagedClusterJoined)
        await seen.becomes(conditions.available, 'True', reasons.ManagedClusterAvailable)
        const agentName = await isRecorded()

        await beatEachSecond(onHub, cluster)
        await seen.beats(3)
        await seen.becomes(conditions.clockSynced, 'True', reasons.ManagedClusterClockSynced)

        await onSpoke.of(secrets, agentNamespace).delete(agentSecrets.hubKubeconfig)
        const renewal = await eventually(
          'it asks for a new certificate as itself',
          async () => (await csrsOf(onHub, cluster)).find(({ metadata }) => metadata.name !== asked.metadata.name),
          patience,
        )
        assert.equal(renewal.spec.username, agentUser(cluster, agentName))
        assert.equal(await isRecorded(), agentName)
        await seen.becomes(conditions.certificateRotated, 'True', reasons.ClientCertificateUpdated)

        await run('deny', cluster)
        await seen.isDenied()
        const isTold = () => agent.output().includes(`Managed cluster \\"${cluster}\\" is not accepted`)
        await eventually('it knows', isTold, patience)
        await seen.becomes(conditions.available, 'Unknown', reasons.ManagedClusterLeaseUpdateStopped)

        await run('accept', cluster, '--wait', '--timeout', '60')
        await seen.beats(2)
      })
    },
  )
