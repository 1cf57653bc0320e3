/** Agents of EKS clusters that join by their AWS identity, through the stand-in's IAM and an API server that asks it. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import { connectionOf, parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import { digestOf, roleSuffix } from '../../../src/registration/drivers/awsirsa/names.ts'
import { bootstrapKubeconfig } from '../../support/agent-scene.ts'
import { awsAgent, awsMember } from '../../support/aws-agent-scene.ts'
import type { EksSite } from '../../support/aws-ground.ts'
import { hubAccount, managedAccount, printedForSpoke, region } from '../../support/aws-ground.ts'
import { digest, marks, marksOf } from '../../support/aws-names.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { isAccepted } from '../../support/aws-watch.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const launcher = resolve(import.meta.dirname, '../../../bin/lanyard.js')

/** As EKS allows: digits of an account, and names with capitals, dashes and underscores. */
const randomAccount = () => String(randomInt(1, 10 ** 12)).padStart(12, '0')
const randomName = () =>
  `A${Array.from({ length: randomInt(0, 30) }, () => 'aZ09-_'[randomInt(0, 6)]).join('')}${randomInt(0, 1_000_000)}`

describe('agents with an AWS identity', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: AwsScene
  before(async () => {
    scene = await awsScene(suite)
  })

  test('R52: an agent joins without a certificate request and marks its cluster in both forms, of which a hub reads either', async (t) => {
    const west = await scene.spoke('west')
    const { suffix } = hubRoleOf(scene.hub, west)
    const agent = await awsMember(t, scene, west)
    const { metadata } = await scene.cluster(agent.cluster)
    const found = Object.entries(metadata.annotations ?? {}).filter(([name]) =>
      Object.values<string>(marks).includes(name),
    )
    assert.deepEqual(Object.fromEntries(found), marksOf(west.eks.arn, suffix))
    assert.deepEqual((await scene.admin.of(certificateSigningRequests).list()).items, [])
    const { groups } = await whoAmI(scene.clientOf(t, west))
    assert.ok(groups.includes(`open-cluster-management:${agent.cluster}`))

    const forms = {
      'seed-form': (arn: string) => ({ [marks.arn]: arn }),
      'field-form': (arn: string, ofRole: string) => ({ [marks.fieldArn]: arn, [marks.fieldSuffix]: ofRole }),
    }
    for (const [name, form] of Object.entries(forms)) {
      const spoke = await scene.spoke(name)
      const role = hubRoleOf(scene.hub, spoke)
      await scene.accept(name, spoke, form(spoke.eks.arn, role.suffix))
      await isAccepted(scene, name)
      assert.ok(scene.hubSide.role(role.name))
      assert.ok((await whoAmI(scene.clientOf(t, spoke))).groups.includes(`open-cluster-management:${name}`))
    }
  })

  test('R53: every name of a role ends in the digest of the two accounts and EKS names, whatever the cluster is called', async (t) => {
    const vector = ['hubaccount1', 'hubcluster1', 'managedaccount1', 'managedcluster1'] as const
    assert.equal(digestOf(...vector), '79e99112993014816615711cbd35a9bc')
    assert.equal(digest(...vector), '79e99112993014816615711cbd35a9bc')

    // What people are told to make.
    for (let round = 0; round < 100; round += 1) {
      const site = (account: string, name: string): Pick<EksSite, 'eks' | 'oidcProvider'> => ({
        oidcProvider: 'oidc.example.com/id/A',
        eks: { arn: `arn:aws:eks:${region}:${account}:cluster/${name}`, partition: 'aws', region, account, name },
      })
      const [hub, managed] = [site(randomAccount(), randomName()), site(randomAccount(), randomName())]
      const expected = digest(hub.eks.account, hub.eks.name, managed.eks.account, managed.eks.name)
      const printed = await printedForSpoke(hub as EksSite, managed as EksSite)
      assert.equal(printed.roleName, `ocm-managed-cluster-${expected}`)
      assert.ok(JSON.stringify(printed.policies).includes(`role/ocm-hub-${expected}"`))
      assert.equal(roleSuffix(hub.eks, managed.eks), expected)
    }

    // What agent and hub make of it: the name of the ManagedCluster has no part in it.
    for (const name of [randomName(), randomName()]) {
      const spoke = await scene.spoke(name)
      const agent = await awsMember(t, scene, spoke)
      const expected = digest(hubAccount, 'hub', managedAccount, name)
      assert.equal((await scene.cluster(agent.cluster)).metadata.annotations?.[marks.fieldSuffix], expected)
      assert.ok(scene.managedSide.role(`ocm-managed-cluster-${expected}`))
      assert.ok(scene.hubSide.role(`ocm-hub-${expected}`))
      await agent.stop()
    }
  })

  test('R54: once accepted the agent keeps a kubeconfig with a credential plugin for its role and the way of its bootstrap', async (t) => {
    const north = await scene.spoke('north')
    const roleArn = hubRoleOf(scene.hub, north).arn
    const agent = await awsAgent(t, scene, north, { exec: { form: 'lanyard', command: launcher } })
    await eventually('its cluster is there', () => scene.cluster(agent.cluster).catch(() => undefined))
    assert.equal((await agent.secret())?.['kubeconfig'], undefined)
    await scene.admin
      .of(ManagedCluster.resource)
      .patch(agent.cluster, { type: 'merge', body: { spec: { hubAcceptsClient: true } } })
    const kept = await eventually('the agent keeps its kubeconfig', async () => {
      const secret = await agent.secret()
      return secret?.['kubeconfig'] !== undefined && secret
    })
    const text = kept['kubeconfig'] ?? ''
    assert.equal(kept['cluster-name'], agent.cluster)
    const [config, bootstrap] = [parse(text), parse(await bootstrapKubeconfig(scene.plane))]
    const way = ({ clusters }: typeof config) => ({
      server: clusters[0].cluster.server,
      ca: Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString().trim(),
    })
    assert.deepEqual(way(config), way(bootstrap))
    const [{ user }] = config.users
    assert.deepEqual(Object.keys(user), ['exec'])
    assert.equal(user.exec.apiVersion, 'client.authentication.k8s.io/v1beta1')
    const after = (flag: string, args: string[]) => args[args.indexOf(flag) + 1]
    assert.deepEqual(
      ['--region', '--cluster-name', '--role-arn'].map((flag) => after(flag, user.exec.args)),
      [region, 'hub', roleArn],
    )

    // The plugin does what the kubeconfig promises.
    const env = { PATH: process.env['PATH'] ?? '', AWS_ENDPOINT_URL: scene.aws.url, ...north.env }
    const given = { source: 'test', clock: systemClock, env }
    const { connection } = await connectionOf(parseKubeconfig(text, { name: 'test' }), given)
    assert.ok((await whoAmI(kubeClient(t, connection))).groups.includes(`open-cluster-management:${agent.cluster}`))

    // The seed's form, for pods that have the AWS CLI.
    const south = await scene.spoke('south')
    const seed = await awsMember(t, scene, south, { exec: { form: 'aws', command: 'aws' } })
    const { exec } = parse((await seed.secret())?.['kubeconfig'] ?? '').users[0].user
    assert.equal(exec.apiVersion, 'client.authentication.k8s.io/v1beta1')
    assert.deepEqual(
      [exec.command, ...exec.args],
      [
        ...['aws', '--region', region, 'eks', 'get-token', '--cluster-name', 'hub', '--output', 'json'],
        ...['--role', hubRoleOf(scene.hub, south).arn],
      ],
    )
  })
})
