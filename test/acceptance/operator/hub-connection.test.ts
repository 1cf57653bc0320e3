/** What a Klusterlet says of the way to its hub, found out with the credentials themselves. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { agentSecrets, conditions as ofClusters } from '../../../src/fleet/names.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import { conditions } from '../../../src/operator/names.ts'
import {
  agentScene,
  allowBootstrap,
  bootstrapKubeconfig,
  joinHub,
  letIn,
  setAccepted,
  withHub,
} from '../../support/agent-scene.ts'
import { aSecret } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import type { OperatorScene } from '../../support/operator-scene.ts'
import { operatorScene } from '../../support/operator-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

/** Nobody listens there. */
const nowhere = 'https://127.0.0.1:1'

describe('the way from a cluster to its hub', needsControlPlane, () => {
  const suite = suiteScope()
  const clock = new FakeClock(new Date())
  let plane: ControlPlane
  let hub: HubScene
  let scene: OperatorScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    hub = await joinHub(suite, plane)
    await allowBootstrap(hub.admin)
    scene = await operatorScene(suite, plane, { namespaces: 3, clock })
  })

  const { hubConnectionDegraded } = conditions
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  async function edit(namespace: string, name: string, data: Record<string, string | null>): Promise<void> {
    const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, text && base64(text)]))
    await scene.admin.of(secrets, namespace).patch(name, { type: 'merge', body: { data: encoded } })
  }
  const degraded = (name: string, reason: string) => scene.reaches(name, hubConnectionDegraded, 'True', reason)
  const stranger = async () =>
    plane.kubeconfig({ certificate: await plane.issueClientCertificate({ commonName: 'stranger' }) })

  test('R78a: a bootstrap or hub Secret that is missing, unusable or refused is told by a reason of its own, and False once it works', async (t) => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    const { name } = metadata
    await degraded(name, 'BootstrapSecretMissing,HubKubeConfigSecretMissing')
    await scene.admin.of(secrets, namespace).create(aSecret(agentSecrets.bootstrap, { kubeconfig: 'none' }))
    await degraded(name, 'BootstrapSecretError,HubKubeConfigSecretMissing')
    await edit(namespace, agentSecrets.bootstrap, { kubeconfig: withHub(await stranger(), { server: nowhere }) })
    await degraded(name, 'BootstrapSecretError,HubKubeConfigSecretMissing')
    await edit(namespace, agentSecrets.bootstrap, { kubeconfig: await stranger() })
    const refused = await degraded(name, 'BootstrapSecretUnauthorized,HubKubeConfigSecretMissing')
    assert.match(refused.message, /create certificatesigningrequests\.certificates\.k8s\.io/)
    await edit(namespace, agentSecrets.bootstrap, { kubeconfig: await bootstrapKubeconfig(plane) })
    await degraded(name, 'BootstrapSecretFunctional,HubKubeConfigSecretMissing')

    const agent = await agentScene(t, plane, { settings: { namespace } })
    await letIn(agent)
    await scene.reaches(name, hubConnectionDegraded, 'False', 'HubConnectionFunctional')
    await agent.stop()

    // No Secret changes when a hub takes rights away: the next look finds out.
    await setAccepted(hub.admin, agent.cluster, false)
    await hubHasAnswered(agent.cluster)
    await clock.advance(30_000)
    const denied = await degraded(name, 'BootstrapSecretFunctional,HubKubeConfigUnauthorized')
    assert.match(denied.message, new RegExp(`patch managedclusters/status.* ${agent.cluster}`))

    const kept = await scene.admin.of(secrets, namespace).get(agentSecrets.hubKubeconfig)
    const kubeconfig = Buffer.from(kept.data?.['kubeconfig'] ?? '', 'base64').toString()
    const steps: [Record<string, string | null>, string][] = [
      [{ 'cluster-name': null }, 'ClusterNameMissing'],
      [{ kubeconfig: withHub(kubeconfig, { server: nowhere }), 'cluster-name': agent.cluster }, 'HubKubeConfigError'],
      [{ kubeconfig: 'none' }, 'HubKubeConfigError'],
      [{ kubeconfig: null }, 'HubKubeConfigMissing'],
    ]
    for (const [data, reason] of steps) {
      await edit(namespace, agentSecrets.hubKubeconfig, data)
      await degraded(name, `BootstrapSecretFunctional,${reason}`)
    }
    await edit(namespace, agentSecrets.bootstrap, { kubeconfig: 'none' })
    await degraded(name, 'BootstrapSecretError,HubKubeConfigMissing')
  })

  /** Until the hub has taken the rights of the cluster away. */
  async function hubHasAnswered(cluster: string): Promise<void> {
    await eventually('the hub has denied it', async () =>
      (await hub.cluster(cluster)).status?.conditions?.some(
        ({ type, status }) => type === ofClusters.accepted && status === 'False',
      ),
    )
  }

  test('a certificate that the hub does not know is refused, not an error', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    const other = await startControlPlane(suite, {})
    const { certPem, keyPem } = await other.issueClientCertificate({ commonName: 'system:open-cluster-management:x:y' })
    await scene.admin.of(secrets, namespace).create(
      aSecret(agentSecrets.hubKubeconfig, {
        kubeconfig: plane.kubeconfig({ certificate: { certPem, keyPem } }),
        'cluster-name': 'x',
        'tls.crt': certPem,
        'tls.key': keyPem.reveal(),
      }),
    )
    await degraded(metadata.name, 'BootstrapSecretMissing,HubKubeConfigUnauthorized')
  })

  test('of several hubs it says that only the agent reads their Secrets', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({
      namespace,
      registrationConfiguration: {
        featureGates: [{ feature: 'MultipleHubs', mode: 'Enable' }],
        bootstrapKubeConfigs: {
          type: 'LocalSecrets',
          localSecretsConfig: { kubeConfigSecrets: [{ name: 'one' }, { name: 'two' }] },
        },
      },
    })
    await degraded(metadata.name, 'BootstrapSecretUnchecked,HubKubeConfigSecretMissing')
    const agent = await eventually('the agent is there', () => scene.agentIn(namespace))
    const args = agent.spec?.template.spec?.containers[0]?.args ?? []
    assert.deepEqual(
      args.filter((arg) => arg.startsWith('--bootstrap-')),
      [
        '--bootstrap-kubeconfig-secret=',
        '--bootstrap-kubeconfigs=/bootstrap/one/kubeconfig',
        '--bootstrap-kubeconfigs=/bootstrap/two/kubeconfig',
      ],
    )
  })
})
