/** A Klusterlet becomes a running agent, and stays one as the Klusterlet changes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { findCondition } from '../../../src/core/conditions.ts'
import { addonNamespace, addonSecretsConfigMap, agentSecrets } from '../../../src/fleet/names.ts'
import { isInvalid } from '../../../src/kube/failures.ts'
import {
  clusterRoles,
  configMaps,
  deployments,
  namespaces,
  roleBindings,
  roles,
  secrets,
} from '../../../src/kube/kinds.ts'
import { annotations, conditions, finalizers } from '../../../src/operator/names.ts'
import { agentRole } from '../../../src/registration/manifests/agent.ts'
import { aConfigMap, aSecret } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { OperatorScene } from '../../support/operator-scene.ts'
import { argumentsOf, operatorScene, runPods } from '../../support/operator-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('a Klusterlet', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: OperatorScene
  before(async () => {
    scene = await operatorScene(suite, await startControlPlane(suite, {}), { namespaces: 9 })
  })
  const applied = (name: string) => scene.reaches(name, conditions.applied, 'True', 'KlusterletApplied')
  const argumentsIn = async (namespace: string) => argumentsOf(await scene.agentIn(namespace))
  const addonFlags = (args: readonly string[]) => args.filter((arg) => arg.startsWith('--addon-'))

  test('R77: the driver of add-ons and the life of their tokens become flags, and no flags where they are unset or 0', async () => {
    const namespace = scene.nextNamespace()
    const driver = (addOnKubeClientRegistrationDriver: object | null) => ({
      registrationConfiguration: { addOnKubeClientRegistrationDriver },
    })
    const token = { authType: 'token' as const, token: { expirationSeconds: 7_200 } }
    const { metadata } = await scene.klusterlet({
      namespace,
      registrationConfiguration: { addOnKubeClientRegistrationDriver: token },
    })
    await applied(metadata.name)
    const asked = ['--addon-kubeclient-registration-auth=token', '--addon-token-expiration-seconds=7200']
    assert.deepEqual(addonFlags(await argumentsIn(namespace)), asked)

    const cases: [object | null, string[]][] = [
      [{ authType: 'token', token: { expirationSeconds: 0 } }, asked.slice(0, 1)],
      [{ authType: 'token', token: null }, asked.slice(0, 1)],
      [{ authType: 'csr' }, ['--addon-kubeclient-registration-auth=csr']],
      [null, []],
    ]
    for (const [given, flags] of cases) {
      await scene.edit(metadata.name, driver(given))
      await eventually(`its flags are ${flags}`, () => argumentsIn(namespace), {
        until: (args) => JSON.stringify(addonFlags(args)) === JSON.stringify(flags),
      })
    }
  })

  test('it becomes an agent in its namespace with its rights, and what drifts comes back', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace, clusterName: 'west' })
    await applied(metadata.name)
    const found = await scene.find(metadata.name)
    assert.deepEqual(found?.metadata.finalizers, [finalizers.klusterlet])
    assert.equal(found?.status?.observedGeneration, found?.metadata.generation)
    assert.ok((await argumentsIn(namespace)).includes('--spoke-cluster-name=west'))
    const { admin } = scene
    assert.ok(await admin.of(clusterRoles).find(agentRole(namespace)))
    assert.ok(await admin.of(roleBindings, addonNamespace).find(agentRole(namespace)))

    await admin.of(deployments, namespace).delete('lanyard-agent')
    await admin.of(roles, namespace).delete('lanyard-agent')
    await admin.of(clusterRoles).patch(agentRole(namespace), { type: 'merge', body: { rules: [] } })
    await eventually('all of it is back', async () => {
      const role = await admin.of(clusterRoles).find(agentRole(namespace))
      return (
        (await scene.agentIn(namespace)) &&
        (await admin.of(roles, namespace).find('lanyard-agent')) &&
        (role?.rules ?? []).length > 0
      )
    })
  })

  test('whether it is available follows from its Deployment', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    await applied(metadata.name)
    const { available, registrationDegraded } = conditions
    await scene.reaches(metadata.name, available, 'False', 'NoAvailablePods')
    await scene.reaches(metadata.name, registrationDegraded, 'True', 'UnavailablePods')
    const deployment = await scene.agentIn(namespace)
    assert.ok(deployment)
    await runPods(scene.admin, deployment, 1)
    await scene.reaches(metadata.name, available, 'True', 'KlusterletAvailable')
    await scene.reaches(metadata.name, registrationDegraded, 'False', 'DeploymentsFunctional')
    await runPods(scene.admin, deployment, 0)
    await scene.reaches(metadata.name, available, 'False', 'NoAvailablePods')
  })

  test('what cannot be carried out is said, and nothing changes', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace, registrationConfiguration: {} })
    await applied(metadata.name)
    const before = await argumentsIn(namespace)
    const refused = async (spec: object, message: RegExp) => {
      await scene.edit(metadata.name, spec)
      const condition = await eventually('it is refused', async () => {
        const found = await scene.find(metadata.name)
        const applied = findCondition(found?.status?.conditions as never, conditions.applied)
        return applied?.observedGeneration === found?.metadata.generation ? applied : undefined
      })
      assert.deepEqual([condition.status, condition.reason], ['False', 'KlusterletApplyFailed'])
      assert.match(condition.message, message)
      assert.deepEqual(await argumentsIn(namespace), before)
    }
    const registration = (registrationConfiguration: object) => ({ registrationConfiguration })
    await refused(registration({ registrationDriver: { authType: 'grpc' } }), /authType is grpc.*later version/)
    await scene.reaches(metadata.name, conditions.hubConnectionDegraded, 'Unknown', 'DriverNotAvailable')
    const byAws = (awsIrsa: object) => registration({ registrationDriver: { authType: 'awsirsa', awsIrsa } })
    const arnOf = (region: string) => `arn:aws:eks:${region}:123456789012:cluster/x`
    await refused(
      registration({ registrationDriver: { authType: 'awsirsa' } }),
      /awsirsa needs .*registrationDriver\.awsIrsa\.hubClusterArn and .*awsIrsa\.managedClusterArn/,
    )
    await refused(
      byAws({ hubClusterArn: arnOf('eu-west-1'), managedClusterArn: arnOf('nowhere') }),
      /registrationDriver\.awsIrsa\.managedClusterArn: .* has a region such as/,
    )
    await scene.edit(metadata.name, registration({ registrationDriver: null }))
    await applied(metadata.name)
    await refused(registration({ featureGates: [{ feature: 'Levitation', mode: 'Enable' }] }), /no gate Levitation/)
    await scene.reaches(metadata.name, conditions.validFeatureGates, 'False', 'InvalidFeatureGatesExisting')
    await scene.edit(metadata.name, registration({ featureGates: null }))
    await scene.reaches(metadata.name, conditions.validFeatureGates, 'True', 'FeatureGatesAllValid')
    await refused({ deployOption: { mode: 'Hosted' } }, /deployOption\.mode is Hosted/)
    await scene.edit(metadata.name, { deployOption: null })
    await refused({ namespace: 'open-cluster-management-elsewhere' }, /where this operator has no rights/)
    await scene.edit(metadata.name, { namespace })
    await applied(metadata.name)
    // What the API server knows to be wrong does not even get here.
    const driver = { addOnKubeClientRegistrationDriver: { authType: 'carrier-pigeon' } }
    await assert.rejects(scene.edit(metadata.name, registration(driver)), isInvalid)
    const noArn = { hubClusterArn: arnOf('eu-west-1'), managedClusterArn: 'arn:aws:iam::123456789012:role/x' }
    await assert.rejects(scene.edit(metadata.name, byAws(noArn)), isInvalid)
  })

  test('fields without an effect are named', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({
      namespace,
      workImagePullSpec: 'work',
      registrationConfiguration: { clusterLabels: { a: 'b' } },
    })
    const ignored = await scene.reaches(metadata.name, conditions.specHonored, 'False', 'SettingsIgnored')
    assert.match(ignored.message, /workImagePullSpec, registrationConfiguration\.clusterLabels/)
    await scene.edit(metadata.name, { workImagePullSpec: null, registrationConfiguration: { clusterLabels: null } })
    await scene.reaches(metadata.name, conditions.specHonored, 'True', 'AllHonored')
  })

  test('a second one in the same namespace is refused until the first is gone', async () => {
    const namespace = scene.nextNamespace()
    const first = await scene.klusterlet({ namespace, clusterName: 'first' })
    await applied(first.metadata.name)
    const second = await scene.klusterlet({ namespace, clusterName: 'second' })
    const refused = await scene.reaches(second.metadata.name, conditions.applied, 'False', 'KlusterletApplyFailed')
    assert.match(refused.message, new RegExp(`Klusterlet ${first.metadata.name} has its agent`))
    assert.ok((await argumentsIn(namespace)).includes('--spoke-cluster-name=first'))
  })

  test('a gate that is turned off takes the rights of add-ons away', async () => {
    const namespace = scene.nextNamespace()
    const { metadata } = await scene.klusterlet({ namespace })
    await applied(metadata.name)
    const { admin } = scene
    const addonRights = () => admin.of(roles, addonNamespace).find(agentRole(namespace))
    assert.ok(await addonRights())
    const featureGates = [{ feature: 'AddonManagement', mode: 'Disable' }]
    await scene.edit(metadata.name, { registrationConfiguration: { featureGates } })
    await eventually('they are gone', async () => (await addonRights()) === undefined)
    assert.ok((await argumentsIn(namespace)).includes('--feature-gates=AddonManagement=false'))
    assert.ok(await admin.of(namespaces).find(addonNamespace), 'a namespace that others may use stays')
  })

  test('another namespace moves the agent: the old one is gone with what it kept before the new one is there', async () => {
    const [from, to] = [scene.nextNamespace(), scene.nextNamespace()]
    const { metadata } = await scene.klusterlet({ namespace: from })
    await applied(metadata.name)
    const { admin } = scene
    await admin.of(secrets, from).create(aSecret(agentSecrets.hubKubeconfig, { kubeconfig: 'x' }))
    // As the agent would have kept them, in a namespace that the operator made.
    const entry = { hub: 'h', cluster: 'west', addon: 'moved', namespace: addonNamespace, name: 'moved-hub-kubeconfig' }
    await admin.of(secrets, addonNamespace).create(aSecret(entry.name, { token: 'x' }))
    const record = JSON.stringify([{ ...entry, type: 'kubeClient', signer: 's', driver: 'token' }])
    await admin.of(configMaps, from).create(aConfigMap(addonSecretsConfigMap, { secrets: record }))
    const body = { metadata: { annotations: { [annotations.madeFor]: metadata.uid } } }
    await admin.of(namespaces).patch(from, { type: 'merge', body })
    await scene.edit(metadata.name, { namespace: to })
    await eventually('it is there', () => scene.agentIn(to))
    assert.equal(await scene.agentIn(from), undefined)
    assert.equal(await admin.of(secrets, addonNamespace).find(entry.name), undefined)
    assert.equal(await admin.of(configMaps, from).find(addonSecretsConfigMap), undefined)
    await eventually('its namespace is gone', async () => (await admin.of(namespaces).find(from)) === undefined)
    assert.ok(await admin.of(namespaces).find(addonNamespace))
    assert.equal(await admin.of(secrets, from).find(agentSecrets.hubKubeconfig), undefined)
    assert.equal(await admin.of(clusterRoles).find(agentRole(from)), undefined)
    assert.ok(await admin.of(clusterRoles).find(agentRole(to)))
  })
})
