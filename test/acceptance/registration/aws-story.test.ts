/** A hub and two clusters on EKS, from nothing to nothing, by the commands that people run. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Secret } from '../../../src/core/secret.ts'
import type { AwsCredentials } from '../../../src/demo/aws/index.ts'
import { addonNamespace, addonSecrets, annotations, leaseName } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { certificateSigningRequests, leases, secrets } from '../../../src/kube/kinds.ts'
import { tokenSource } from '../../../src/registration/drivers/awsirsa/token/token-source.ts'
import type { AwsGround, EksSite, PodEnv, PrintedRole } from '../../support/aws-ground.ts'
import { awsGround, region } from '../../support/aws-ground.ts'
import { startAwsPlane } from '../../support/aws-plane.ts'
import { hubRoleOf } from '../../support/aws-scene.ts'
import { aCanary, assertNoCanary } from '../../support/canary.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { hello, runHelloHub } from '../../support/hello-scene.ts'
import type { PreparedHub } from '../../support/hub-process.ts'
import { agentProcess, hubProcess, prepareHub } from '../../support/hub-process.ts'
import { inEnvironment } from '../../support/in-environment.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { Running } from '../../support/lanyard.ts'
import { lanyard } from '../../support/lanyard.ts'
import { presentRights } from '../../support/membership-scene.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

type Env = Readonly<Record<string, string>>

const patience = { withinMs: 120_000 }

interface Member {
  name: string
  namespace: string
  site: EksSite
  role: PrintedRole
  env: PodEnv
  agent: Running
}

/** All that the people of the story have at hand. */
interface Fleet {
  t: TestScope
  ground: AwsGround
  /** Of the hub and, to save time, of both clusters: in AWS they are three. */
  plane: OwnControlPlane
  kube: KubeClient
  /** The way to AWS, and nothing of this machine's own. */
  machine: Env
  dir: string
}

const as = ({ accessKeyId, secretAccessKey }: AwsCredentials): Env => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
})

async function run({ t, machine }: Fleet, args: readonly string[], env: Env = {}): Promise<string> {
  const { code, out, err } = await lanyard(t, args, { ...machine, ...env }).ended
  assert.equal(code, 0, `lanyard ${args.slice(0, 2).join(' ')}: ${out}${err}`)
  return out
}

/** The administrator of the hub: `init`, then the process that a kubelet would start. */
async function installHub(fleet: Fleet): Promise<{ prepared: PreparedHub; hub: Running }> {
  const { t, ground, plane, kube, machine } = fleet
  const arn = ['--hub-cluster-arn', ground.hub.eks.arn]
  const prepared = await inEnvironment({ ...machine, ...as(ground.hubSide.admin) }, () =>
    prepareHub(t, plane, '--registration-drivers', 'awsirsa', ...arn, '--aws-creator-role'),
  )
  const hub = await inEnvironment({ ...machine, ...ground.hubEnv }, () =>
    hubProcess(t, plane, kube, prepared, '--enabled-registration-drivers', 'awsirsa', ...arn),
  )
  return { prepared, hub }
}

/** The administrator of a cluster: the printed role, `join`, and the agent that a kubelet would start. */
async function joins(fleet: Fleet, name: string, { invited }: PreparedHub): Promise<Member> {
  const { t, ground, plane, kube, machine, dir } = fleet
  const namespace = `${name}-agent`
  const site = await ground.site(name, { issuer: plane })
  const arns = ['--hub-cluster-arn', ground.hub.eks.arn, '--managed-cluster-arn', site.eks.arn]
  const printed = await run(fleet, [
    ...['aws', 'prerequisites', 'cluster', ...arns, '--oidc-provider', site.oidcProvider],
    ...['--namespace', namespace, '-o', 'json'],
  ])
  const role: PrintedRole = JSON.parse(printed)
  await ground.apply(role)

  const tokenFile = join(dir, 'hub-token')
  await writeFile(tokenFile, invited['hub-token'], { mode: 0o600 })
  await run(
    fleet,
    [
      ...['join', '--kubeconfig', plane.adminKubeconfigPath, '--cluster-name', name, '--namespace', namespace],
      ...['--hub-token-file', tokenFile, '--hub-apiserver', plane.url, '--ca-pin', invited['ca-pins'][0] ?? ''],
      ...['--registration-auth', 'aws-irsa', '--eks-hub-cluster-arn', ground.hub.eks.arn],
      ...['--managed-cluster-arn', site.eks.arn, '--addon-kubeclient-registration-auth', 'token'],
    ],
    as(ground.managedSide.admin),
  )
  const path = join(dir, `${name}.token`)
  await writeFile(path, await site.webToken(`system:serviceaccount:${namespace}:lanyard-agent`), { mode: 0o600 })
  const env = { AWS_WEB_IDENTITY_TOKEN_FILE: path, AWS_ROLE_ARN: role.roleArn, AWS_REGION: region }
  const agent = await inEnvironment({ ...machine, ...env }, () => agentProcess(t, plane, kube, namespace))
  return { name, namespace, site, role, env, agent }
}

/** By the AWS identity of one cluster's pod, as what the hub takes the role of another one for. */
function clientAs({ t, ground, plane }: Fleet, { env }: Pick<Member, 'env'>, role: Pick<Member, 'site'>): KubeClient {
  const tokens = tokenSource(
    {
      ...{ region, clusterName: ground.hub.eks.name, endpoint: new URL(ground.aws.url) },
      roleArn: hubRoleOf(ground.hub, role.site).arn,
    },
    { env, clock: systemClock, readFile: (path) => readFile(path, 'utf8') },
  )
  const credentials = async () => ({ authorization: (await tokens.token()).token })
  return kubeClient(t, { ...plane.connection(), credentials })
}

const isDenied = (code: string) => (error: Error & { code?: unknown }) => error.code === code

test(
  'two EKS clusters join an EKS hub by their roles, work apart from each other, and leave nothing behind',
  needsControlPlane,
  async (t) => {
    const canary = aCanary()
    const ground = await awsGround(t, { canary })
    const { plane } = await startAwsPlane(t, ground)
    const machine = {
      AWS_ENDPOINT_URL: ground.aws.url,
      AWS_REGION: region,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    }
    const kube = kubeClient(t, plane.connection())
    const fleet: Fleet = { t, ground, plane, kube, machine, dir: tempDir(t) }
    const clusters = kube.of(ManagedCluster.resource)
    const onHub = ['--kubeconfig', plane.adminKubeconfigPath]
    const rolesOfClusters = () => ground.hubSide.roles().filter(({ name }) => name.startsWith('ocm-hub-'))

    const { prepared, hub } = await installHub(fleet)
    const [west, east] = [await joins(fleet, 'west', prepared), await joins(fleet, 'east', prepared)]
    for (const { name } of [west, east]) {
      await eventually(`${name} has asked`, () => clusters.find(name), patience)
      await run(fleet, ['accept', name, ...onHub, '--wait', '--timeout', '120'], as(ground.hubSide.admin))
    }
    assert.deepEqual((await kube.of(certificateSigningRequests).list()).items, [])
    assert.equal(rolesOfClusters().length, 2)
    for (const member of [west, east]) {
      const { groups } = await whoAmI(clientAs(fleet, member, member))
      assert.ok(groups.includes(`open-cluster-management:${member.name}`))
      assert.ok(await kube.of(leases, member.name).find(leaseName))
    }

    // An add-on of the cluster comes to the hub with a token: there is no certificate to be had on EKS.
    await runHelloHub(t, plane)
    await kube.of(ManagedClusterAddOn.resource, 'west').create({ metadata: { name: hello }, spec: {} })
    const credential = await eventually(
      'the add-on has its token',
      async () => (await kube.of(secrets, addonNamespace).find(addonSecrets.kubeClient(hello)))?.data?.['token'],
      patience,
    )
    const token = Secret.of(Buffer.from(credential, 'base64').toString())
    const { username } = await whoAmI(kubeClient(t, plane.connection({ authorization: token })))
    assert.match(username, /^system:serviceaccount:west:/)

    // Neither in AWS nor on the hub does one cluster get at what is the other's.
    for (const [own, other] of [
      [west, east],
      [east, west],
    ] as const) {
      await assert.rejects(whoAmI(clientAs(fleet, own, other)), isDenied('AWS_ROLE_REFUSED'))
      const pretending = { env: { ...own.env, AWS_ROLE_ARN: other.role.roleArn } }
      await assert.rejects(whoAmI(clientAs(fleet, pretending, other)), isDenied('AWS_WEB_ROLE_REFUSED'))
      const client = clientAs(fleet, own, own)
      assert.ok(await client.of(ManagedCluster.resource).get(own.name))
      const trespasses = [
        () => client.of(ManagedCluster.resource).get(other.name),
        () => client.of(leases, other.name).get(leaseName),
        () => client.of(ManagedClusterAddOn.resource, other.name).list(),
        () => client.of(secrets, other.name).list(),
      ]
      for (const trespass of trespasses) await assert.rejects(trespass(), isForbidden)
    }

    // One leaves by the hand of its own administrator, the other is put out by that of the hub.
    await kube.of(ManagedClusterAddOn.resource, 'west').delete(hello)
    await eventually(
      'the add-on is gone',
      async () => {
        const left = await kube.of(secrets, addonNamespace).find(addonSecrets.kubeClient(hello))
        return left === undefined
      },
      patience,
    )
    const managed = ['--managed-kubeconfig', plane.adminKubeconfigPath]
    const leaving = run(fleet, ['unjoin', ...managed, '--agent-namespace', west.namespace, '--timeout', '120'])
    const unjoined = async () => (await clusters.get('west')).metadata.annotations?.[annotations.unjoinedAt]
    await eventually('the hub knows that west left by itself', unjoined, patience)
    west.agent.child.kill('SIGTERM')
    await leaving
    await run(fleet, ['deny', 'east', ...onHub], as(ground.hubSide.admin))
    await eventually('AWS has nothing of either', () => rolesOfClusters().length === 0, patience)
    assert.deepEqual(ground.hub.cluster.accessEntries(), [])
    for (const member of [west, east]) {
      await assert.rejects(whoAmI(clientAs(fleet, member, member)), isDenied('AWS_ROLE_REFUSED'))
      await eventually(
        `${member.name} has no rights on the hub`,
        async () => {
          assert.deepEqual(await presentRights(kube, member.name), ['binding', 'namespace', 'role'])
          return true
        },
        patience,
      )
    }
    for (const { name } of [west, east]) await clusters.delete(name)
    for (const { name } of [west, east]) {
      await eventually(`${name} is gone`, async () => !(await clusters.find(name)), patience)
      assert.deepEqual(await presentRights(kube, name), ['namespace'])
    }

    // Whatever AWS issued stayed with whom it was issued to.
    for (const { child } of [hub, east.agent]) child.kill('SIGTERM')
    const said = await Promise.all([hub.ended, west.agent.ended, east.agent.ended])
    for (const { out, err } of said) assertNoCanary({ out, err }, canary)
  },
)
