/** OCM's own agent is one of our fleet. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import {
  addonGroup,
  addonSecrets,
  agentNamespace,
  agentSecrets,
  agentUser,
  annotations,
  clusterGroup,
  commonGroup,
  conditions,
  labels,
} from '../../src/fleet/names.ts'
import { informer } from '../../src/kube/informer.ts'
import { certificateSigningRequests, namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { fingerprintOf, readRequest } from '../../src/pki/index.ts'
import { bootstrapUser } from '../../src/registration/manifests/bootstrap.ts'
import { reasons } from '../../src/registration/reasons.ts'
import { csrsOf } from '../support/agent-scene.ts'
import { aNamespace } from '../support/builders.ts'
import { eventually } from '../support/eventually.ts'
import { installFleetKinds, runInTest } from '../support/fleet-scene.ts'
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
    `F46: a registration for a custom signer that names nobody is one request of OCM’s agent, which stays, on ${plane.name}`,
    plane.needs,
    async (t) => {
      const fleet = await twoPlanes(t, plane)
      const { onHub, onSpoke } = fleet
      const { programs, run } = await ocmAgentAtOurHub(t, fleet)
      const seen = onTheHub(onHub, cluster)
      const signerName = 'example.com/signer'
      const addons = onHub.of(ManagedClusterAddOn.resource, cluster)
      const register = async (name: string, registration: object) => {
        await addons.create({ metadata: { name }, spec: {} })
        const status = { namespace: agentNamespace, registrations: [registration] }
        await addons.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' })
      }
      const askedFor = informer(onHub.of(certificateSigningRequests), {
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
        labelSelector: `${labels.clusterName}=${cluster},${labels.addonName}`,
      })
      const made: Stored<CertificateSigningRequest>[] = []
      askedFor.on(({ type, object }) => void (type === 'added' && made.push(object)))
      const of = (addon: string) => made.filter(({ metadata }) => metadata.labels?.[labels.addonName] === addon)
      const subjectOf = ({ spec }: Stored<CertificateSigningRequest>) =>
        readRequest(Buffer.from(spec.request, 'base64').toString()).subject
      runInTest(t, [askedFor.run])

      await withOutputOf(programs, async () => {
        await eventually('it asks', async () => (await csrsOf(onHub, cluster))[0], patience)
        await eventually('its cluster is there', seen.get, patience)
        await run('accept', cluster, '--wait', '--timeout', '60')
        await seen.becomes(conditions.joined, 'True', reasons.ManagedClusterJoined)
        const { data = {} } = await onSpoke.of(secrets, agentNamespace).get(agentSecrets.hubKubeconfig)
        const agentName = atob(data['agent-name'] ?? '')

        // As its type has it, which always writes the user.
        await register('open', { type: 'customSigner', customSigner: { signerName, subject: { user: '' } } })
        await register('named', { type: 'customSigner', customSigner: { signerName, subject: { user: 'reader' } } })
        await eventually('it asks for both', () => of('open').length > 0 && of('named').length > 0, patience)
        assert.deepEqual(
          ['open', 'named'].map((addon) =>
            of(addon)
              .map(subjectOf)
              .map(({ commonName }) => commonName),
          ),
          [[`${addonGroup(cluster, 'open')}:agent:${agentName}`], ['reader']],
        )
        for (const csr of made) assert.deepEqual(subjectOf(csr).organizations, [])

        // Of the hub's own signer it is approved: the hub has looked at those before it by then.
        await register('own', { type: 'kubeClient', kubeClient: { subject: { user: '' } } })
        await eventually(
          'the add-on gets its certificate',
          () => onSpoke.of(secrets, agentNamespace).find(addonSecrets.kubeClient('own')),
          patience,
        )
        await beatEachSecond(onHub, cluster)
        await seen.beats(5)
        assert.deepEqual(
          ['open', 'named', 'own'].map((addon) => of(addon).length),
          [1, 1, 1],
        )
        for (const { metadata } of made) assert.ok(await onHub.of(certificateSigningRequests).find(metadata.name))
      })
    },
  )

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
