/** What a Klusterlet says of the way to a hub on EKS, where its agent has a role of AWS in place of a certificate. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { Klusterlet } from '../../../src/apis/operator/klusterlet.ts'
import { agentSecrets } from '../../../src/fleet/names.ts'
import { secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { formatKubeconfig, parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import { conditions } from '../../../src/operator/names.ts'
import { agentAccount } from '../../../src/registration/manifests/agent.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { bootstrapKubeconfig, setAccepted, withHub } from '../../support/agent-scene.ts'
import { awsMember } from '../../support/aws-agent-scene.ts'
import type { AwsSpoke } from '../../support/aws-ground.ts'
import { managedAccount, region } from '../../support/aws-ground.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { acceptedOf, awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { aSecret } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { OperatorScene } from '../../support/operator-scene.ts'
import { argumentsOf, operatorScene } from '../../support/operator-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

describe('the way from an EKS cluster to its hub', needsControlPlane, () => {
  const suite = suiteScope()
  const clock = new FakeClock(new Date())
  let hub: AwsScene
  let scene: OperatorScene
  before(async () => {
    hub = await awsScene(suite)
    scene = await operatorScene(suite, hub.plane, { namespaces: 4, clock, env: { AWS_ENDPOINT_URL: hub.aws.url } })
  })

  const { hubConnectionDegraded } = conditions
  const degraded = (name: string, reason: string) => scene.reaches(name, hubConnectionDegraded, 'True', reason)
  const functional = (name: string) => scene.reaches(name, hubConnectionDegraded, 'False', 'HubConnectionFunctional')
  const driver = (name: string) => {
    const managedClusterArn = `arn:aws:eks:${region}:${managedAccount}:cluster/${name}`
    return { authType: 'awsirsa' as const, awsIrsa: { hubClusterArn: hub.hub.eks.arn, managedClusterArn } }
  }
  async function edit(namespace: string, name: string, data: Record<string, string | null>): Promise<void> {
    const encoded = Object.entries(data).map(([key, text]) => [key, text && Buffer.from(text).toString('base64')])
    const body = { data: Object.fromEntries(encoded) }
    await scene.admin.of(secrets, namespace).patch(name, { type: 'merge', body })
  }
  const keptIn = async (namespace: string): Promise<string> => {
    const { data } = await scene.admin.of(secrets, namespace).get(agentSecrets.hubKubeconfig)
    return Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString()
  }

  /** A Klusterlet whose agent has its account, and the role that an administrator made for that. */
  async function applied(eksName: string): Promise<{ name: string; namespace: string; spoke: AwsSpoke }> {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({
      namespace,
      registrationConfiguration: { registrationDriver: driver(eksName) },
    })
    await scene.reaches(metadata.name, conditions.applied, 'True', 'KlusterletApplied')
    return { name: metadata.name, namespace, spoke: await hub.spoke(eksName, { namespace, issuer: hub.plane }) }
  }

  /** The agent itself is no pod, so it runs here. */
  const joined = (t: TestScope, namespace: string, spoke: AwsSpoke): Promise<AgentScene> =>
    awsMember(t, hub, spoke, { settings: { namespace } })

  test('R78b: with awsirsa a bootstrap or hub Secret that is missing, unusable or refused is told by a reason of its own, and False once it works', async (t) => {
    const { name, namespace, spoke } = await applied('told')
    const place = scene.admin.of(secrets, namespace)
    await degraded(name, 'BootstrapSecretMissing,HubKubeConfigSecretMissing')
    await place.create(aSecret(agentSecrets.bootstrap, { kubeconfig: 'none' }))
    await degraded(name, 'BootstrapSecretError,HubKubeConfigSecretMissing')
    const certificate = await hub.plane.issueClientCertificate({ commonName: 'stranger' })
    const stranger = hub.plane.kubeconfig({ certificate })
    await edit(namespace, agentSecrets.bootstrap, { kubeconfig: stranger })
    const refused = await degraded(name, 'BootstrapSecretUnauthorized,HubKubeConfigSecretMissing')
    assert.match(refused.message, /create managedclusters\.cluster/)
    await edit(namespace, agentSecrets.bootstrap, { kubeconfig: await bootstrapKubeconfig(hub.plane) })
    const agent = await joined(t, namespace, spoke)
    await functional(name)
    await agent.stop()

    const kubeconfig = await keptIn(namespace)
    // The plugin that the kubeconfig names is for others: it never runs beside the operator.
    const trace = join(tempDir(t), 'ran')
    await edit(namespace, agentSecrets.hubKubeconfig, { kubeconfig: withPlugin(kubeconfig, trace) })
    const secret = await place.get(agentSecrets.hubKubeconfig)
    hub.aws.faults.add({ action: 'AssumeRoleWithWebIdentity', times: Infinity, do: 'drop' })
    await edit(namespace, agentSecrets.hubKubeconfig, { touched: secret.metadata.resourceVersion ?? '' })
    await degraded(name, 'BootstrapSecretFunctional,HubKubeConfigError')
    hub.aws.faults.clear()
    await edit(namespace, agentSecrets.hubKubeconfig, { touched: null })
    await functional(name)
    assert.ok(!existsSync(trace), 'no program was run')

    // No Secret changes when a hub takes rights away: the next look finds out.
    await setAccepted(hub.admin, agent.cluster, false)
    await eventually('the hub has denied it', async () => (await acceptedOf(hub, agent.cluster))?.status === 'False')
    await eventually('its role is gone', () => !hub.hubSide.role(hubRoleOf(hub.hub, spoke).name))
    await clock.advance(30_000)
    await degraded(name, 'BootstrapSecretFunctional,HubKubeConfigUnauthorized')

    const steps: [Record<string, string | null>, string][] = [
      [{ 'cluster-name': null }, 'ClusterNameMissing'],
      [
        { 'cluster-name': agent.cluster, kubeconfig: withHub(kubeconfig, { server: 'https://127.0.0.1:1' }) },
        // Without its role the agent is nobody, wherever the hub is.
        'HubKubeConfigUnauthorized',
      ],
      [{ kubeconfig: stranger }, 'HubKubeConfigError'],
      [{ kubeconfig: kubeconfig.replaceAll('ocm-hub-', 'ocm-hub-0') }, 'HubKubeConfigError'],
      [{ kubeconfig: 'none' }, 'HubKubeConfigError'],
      [{ kubeconfig: null }, 'HubKubeConfigMissing'],
    ]
    for (const [data, reason] of steps) {
      await edit(namespace, agentSecrets.hubKubeconfig, data)
      await degraded(name, `BootstrapSecretFunctional,${reason}`)
    }
    await place.delete(agentSecrets.hubKubeconfig)
    await place.delete(agentSecrets.bootstrap)
    await degraded(name, 'BootstrapSecretMissing,HubKubeConfigSecretMissing')
  })

  const withPlugin = (kubeconfig: string, trace: string): string => {
    const program = `${trace}.sh`
    writeFileSync(program, `#!/bin/sh\n: > ${trace}\n`, { mode: 0o700 })
    const config = parseKubeconfig(kubeconfig, { name: 'test' })
    const users = config.users.map((user) => {
      const { exec } = user.value
      return { ...user, value: { ...user.value, ...(exec && { exec: { ...exec, command: program } }) } }
    })
    return formatKubeconfig({ ...config, users }).reveal()
  }

  test('its account has the role, its pod the flags, and both come back when somebody changes them', async () => {
    const { namespace, spoke } = await applied('kept')
    const roleOf = async () =>
      (await scene.admin.of(serviceAccounts, namespace).get(agentAccount)).metadata.annotations?.[
        'eks.amazonaws.com/role-arn'
      ]
    assert.equal(await roleOf(), spoke.role.roleArn)
    assert.deepEqual(
      argumentsOf(await scene.agentIn(namespace)).filter((arg) => /^--(registration-auth|.*-arn)=/.test(arg)),
      ['--registration-auth=awsirsa', `--hub-cluster-arn=${hub.hub.eks.arn}`, `--managed-cluster-arn=${spoke.eks.arn}`],
    )
    const body = { metadata: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/other' } } }
    await scene.admin.of(serviceAccounts, namespace).patch(agentAccount, { type: 'merge', body })
    await eventually('the role is back', async () => (await roleOf()) === spoke.role.roleArn)
  })

  test('a Klusterlet that is deleted tells the hub by the role of its agent', async (t) => {
    const { name, namespace, spoke } = await applied('leaving')
    const agent = await joined(t, namespace, spoke)
    await functional(name)
    await agent.stop()
    await scene.admin.of(Klusterlet.resource).delete(name)
    await eventually('it is gone', async () => (await scene.find(name)) === undefined)
    const left = await hub.admin.of(ManagedCluster.resource).get(agent.cluster)
    assert.equal(left.spec?.hubAcceptsClient, false)
    assert.equal(await scene.agentIn(namespace), undefined)
  })
})
