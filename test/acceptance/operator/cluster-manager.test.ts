/** A ClusterManager becomes a running hub. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { hubKinds } from '../../../src/apis/fleet-kinds.ts'
import { ClusterManager } from '../../../src/apis/operator/cluster-manager.ts'
import { hubNamespace } from '../../../src/fleet/names.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  roleBindings,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '../../../src/kube/kinds.ts'
import { conditions, finalizers } from '../../../src/operator/names.ts'
import { hubRole } from '../../../src/registration/manifests/hub-rbac.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { ManagedCluster } from '../../support/fleet-kinds.ts'
import { installFleetKinds } from '../../support/fleet-scene.ts'
import type { OperatorScene } from '../../support/operator-scene.ts'
import { argumentsOf, operatorScene, runPods } from '../../support/operator-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('a ClusterManager', needsControlPlane, () => {
  const suite = suiteScope()
  const clock = new FakeClock(new Date())
  const name = 'cluster-manager'
  let scene: OperatorScene
  before(async () => {
    const plane = await startControlPlane(suite, {})
    scene = await operatorScene(suite, plane, { sides: ['hub'], clock })
    await installFleetKinds(scene.admin)
    // Before the webhooks: without a running hub nobody can make one.
    await scene.admin.of(ManagedCluster.resource).create({ metadata: { name: 'west' }, spec: {} })
  })
  const managers = () => scene.admin.of(ClusterManager.resource)
  const edit = (spec: object) => managers().patch(name, { type: 'merge', body: { spec } })
  const hub = () => scene.admin.of(deployments, hubNamespace).find('lanyard-hub')
  const webhooks = () => scene.admin.of(validatingWebhookConfigurations).find('lanyard-hub')

  test('it becomes a hub with its kinds, rights, CA, webhooks and flags', async () => {
    const { admin } = scene
    const users = ['system:serviceaccount:a:b', 'jane']
    await managers().create({
      metadata: { name },
      spec: {
        registrationConfiguration: {
          featureGates: [{ feature: 'ManagedClusterAutoApproval', mode: 'Enable' }],
          autoApproveUsers: users.slice(0, 1),
          registrationDrivers: [{ authType: 'csr', csr: { autoApprovedIdentities: users } }],
        },
      },
    })
    await scene.reaches(name, conditions.applied, 'True', 'ClusterManagerApplied')
    assert.deepEqual((await managers().get(name)).metadata.finalizers, [finalizers.clusterManager])
    assert.deepEqual(
      argumentsOf(await hub()).filter((arg) => arg !== '--listen=:9443'),
      [
        'hub',
        `--namespace=${hubNamespace}`,
        '--enabled-registration-drivers=csr',
        '--feature-gates=ManagedClusterAutoApproval=true',
        `--auto-approved-csr-users=${users.join(',')}`,
      ],
    )
    assert.ok(await admin.of(services, hubNamespace).find('lanyard-hub'))
    assert.ok(await admin.of(clusterRoles).find(hubRole))
    for (const { declaration } of hubKinds)
      assert.ok(await admin.of(customResourceDefinitions).find(`${declaration.plural}.${declaration.group}`))
    const caBundle = (await webhooks())?.webhooks?.[0]?.clientConfig.caBundle
    const ca = await admin.of(secrets, hubNamespace).get('lanyard-hub-ca')
    assert.equal(caBundle, ca.data?.['ca.crt'])
  })

  test('how it does follows from its Deployment, and what drifts comes back', async () => {
    await scene.reaches(name, conditions.hubRegistrationDegraded, 'True', 'UnavailableRegistrationPod')
    await scene.reaches(name, conditions.progressing, 'True', 'ClusterManagerDeploymentRolling')
    const deployment = await hub()
    assert.ok(deployment)
    await runPods(scene.admin, deployment, 1)
    await scene.reaches(name, conditions.hubRegistrationDegraded, 'False', 'RegistrationFunctional')
    await scene.reaches(name, conditions.progressing, 'False', 'ClusterManagerUpToDate')

    await scene.admin.of(validatingWebhookConfigurations).delete('lanyard-hub')
    await scene.admin.of(clusterRoleBindings).delete(hubRole)
    await eventually(
      'both are back',
      async () => (await webhooks()) && (await scene.admin.of(clusterRoleBindings).find(hubRole)),
    )
  })

  test('what cannot be carried out is said and changes nothing; what has no effect is named', async () => {
    const before = argumentsOf(await hub())
    await edit({ registrationConfiguration: { registrationDrivers: [{ authType: 'grpc' }] } })
    const refused = await scene.reaches(name, conditions.applied, 'False', 'ClusterManagerApplyFailed')
    assert.match(refused.message, /registrationDrivers\[0\]\.authType is grpc.*later version/)
    assert.deepEqual(argumentsOf(await hub()), before)
    await edit({ registrationConfiguration: { registrationDrivers: null, featureGates: null }, workImagePullSpec: 'w' })
    const ignored = await scene.reaches(name, conditions.specHonored, 'False', 'SettingsIgnored')
    assert.match(ignored.message, /workImagePullSpec.*approved of without asking/)
    assert.deepEqual(
      argumentsOf(await hub()).filter((arg) => /approv|gates/.test(arg)),
      [],
    )
    const second = await managers().create({ metadata: { name: 'second' }, spec: {} })
    await scene.reaches('second', conditions.applied, 'False', 'ClusterManagerApplyFailed')
    await managers().delete(second.metadata.name)
    await eventually('it is gone', async () => (await managers().find('second')) === undefined)
  })

  test('clusters may come by AWS IAM besides: its account has the creator role and may keep aws-auth, until they may not', async () => {
    const { admin } = scene
    const hubClusterArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
    const account = async () =>
      (await admin.of(serviceAccounts, hubNamespace).get('registration-controller-sa')).metadata.annotations?.[
        'eks.amazonaws.com/role-arn'
      ]
    const binding = () => admin.of(roleBindings, 'kube-system').find('lanyard-hub-aws-auth')
    assert.deepEqual([await account(), await binding()], [undefined, undefined])
    const byAws = (awsirsa: object) => ({
      registrationConfiguration: {
        featureGates: [{ feature: 'ManagedClusterAutoApproval', mode: 'Enable' }],
        registrationDrivers: [{ authType: 'csr' }, { authType: 'awsirsa', awsirsa }],
      },
    })
    const before = argumentsOf(await hub())
    await edit(byAws({ hubClusterArn, tags: ['team'] }))
    const refused = await scene.reaches(name, conditions.applied, 'False', 'ClusterManagerApplyFailed')
    assert.match(refused.message, /registrationDrivers\[1\]\.awsirsa\.tags: the tag "team" does not have/)
    assert.deepEqual(argumentsOf(await hub()), before)

    await edit(byAws({ hubClusterArn, tags: ['team=fleet'], autoApprovedIdentities: ['arn:aws:eks:eu-west-1:.*'] }))
    await scene.reaches(name, conditions.applied, 'True', 'ClusterManagerApplied')
    assert.deepEqual(
      argumentsOf(await hub()).filter((arg) => /drivers|arn|aws/.test(arg)),
      [
        '--enabled-registration-drivers=csr,awsirsa',
        `--hub-cluster-arn=${hubClusterArn}`,
        '--auto-approved-arn-patterns=arn:aws:eks:eu-west-1:.*',
        '--aws-resource-tags=team=fleet',
      ],
    )
    const creator = 'arn:aws:iam::123456789012:role/hub_managed-cluster-identity-creator'
    assert.equal(await account(), creator)
    assert.deepEqual(
      (await binding())?.subjects?.map(({ name: subject, namespace }) => [namespace, subject]),
      [[hubNamespace, 'registration-controller-sa']],
    )
    const other = { metadata: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/other' } } }
    await admin.of(serviceAccounts, hubNamespace).patch('registration-controller-sa', { type: 'merge', body: other })
    await eventually('the role is back', async () => (await account()) === creator)

    await edit({ registrationConfiguration: { registrationDrivers: [{ authType: 'csr' }] } })
    await eventually('the right is gone', async () => (await binding()) === undefined)
    assert.equal(await account(), undefined)
    // As it is when all of it goes.
    await edit(byAws({ hubClusterArn }))
    await eventually('the right is there', binding)
  })

  test('it goes after the last cluster, its webhooks first and its finalizer last; the kinds stay', async () => {
    const { admin } = scene
    await managers().delete(name)
    const waiting = await scene.reaches(name, conditions.deleting, 'False', 'ClustersRemaining')
    assert.match(waiting.message, /west/)
    assert.ok(await webhooks(), 'as long as clusters are there the hub is whole')
    scene.writes.splice(0)
    await admin.of(ManagedCluster.resource).delete('west')
    await eventually('it is gone', async () => {
      await clock.advance(1_000)
      return (await managers().find(name)) === undefined
    })
    // Others may see what was written before the answer to the writer is here: of the status, what stood before the cut.
    const changes = () => scene.writes.filter((write) => /^DELETE|clustermanagers\.operator[^/]*$/.test(write))
    await eventually('the finalizer goes last', () => changes().at(-1)?.startsWith('PATCH clustermanagers'))
    const deletes = changes()
    const first = (what: string) => deletes.findIndex((write) => write.includes(what))
    assert.match(deletes[0] ?? '', /webhookconfigurations/)
    assert.ok(first('webhookconfigurations') < first('deployments'))
    assert.ok(first('deployments') < first('secrets'))
    assert.ok(first('secrets') < first('clusterrolebindings'))
    assert.equal(await hub(), undefined)
    assert.equal(await webhooks(), undefined)
    assert.equal(await admin.of(clusterRoles).find(hubRole), undefined)
    assert.equal(await admin.of(roleBindings, 'kube-system').find('lanyard-hub-aws-auth'), undefined)
    assert.equal(await admin.of(secrets, hubNamespace).find('lanyard-hub-ca'), undefined)
    assert.ok(await admin.of(customResourceDefinitions).find('managedclusters.cluster.open-cluster-management.io'))
  })
})
