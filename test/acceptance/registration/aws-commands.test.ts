/** The commands of people who let EKS clusters in, each as a process of its own, with AWS credentials of their own. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import type { AwsCredentials } from '../../../src/demo/aws/index.ts'
import { agentNamespace, conditions, hubNamespace } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { certificateSigningRequests, deployments, namespaces, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { AwsGround } from '../../support/aws-ground.ts'
import { awsGround, region } from '../../support/aws-ground.ts'
import { startAwsPlane } from '../../support/aws-plane.ts'
import { hubRoleOf } from '../../support/aws-scene.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { agentProcess, hubProcess, prepareHub } from '../../support/hub-process.ts'
import { inEnvironment } from '../../support/in-environment.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

type Env = Readonly<Record<string, string>>

describe('commands for a hub on EKS', needsControlPlane, () => {
  const suite = suiteScope()
  let ground: AwsGround
  let plane: OwnControlPlane
  let kube: KubeClient
  /** As on a machine that trusts the hub's certificate. */
  let machine: Env
  before(async () => {
    ground = await awsGround(suite)
    ;({ plane } = await startAwsPlane(suite, ground))
    kube = kubeClient(suite, plane.connection())
    const caFile = join(tempDir(suite), 'ca.crt')
    await writeFile(caFile, plane.caPem)
    machine = { NODE_EXTRA_CA_CERTS: caFile, ...awsElsewhere(ground) }
  })

  const as = ({ accessKeyId, secretAccessKey }: AwsCredentials): Env => ({
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  })
  const run = (t: TestScope, line: string, ...envs: Env[]) =>
    lanyard(t, line.trim().split(/\s+/), Object.assign({}, machine, ...envs)).ended
  const cluster = (name: string) => kube.of(ManagedCluster.resource).find(name)

  test('R82: the lines of the seed for init, join and accept run as they stand; a join that names no hub makes nothing', async (t) => {
    const spoke = await ground.spoke('managed-0')
    const hubRole = hubRoleOf(ground.hub, spoke).name
    const onHub = { KUBECONFIG: await eksKubeconfig(t, plane, ground.hub.eks.arn), ...as(ground.hubSide.admin) }
    const onManaged = { KUBECONFIG: await eksKubeconfig(t, plane, spoke.eks.arn), ...as(ground.managedSide.admin) }
    const arn = ground.hub.eks.arn

    const made = await run(t, `init --wait --registration-auth=aws-irsa --context ${arn}`, onHub)
    assert.equal(made.code, 0, made.err)
    assert.match(made.out, new RegExp(`lanyard hub .*--enabled-registration-drivers=awsirsa --hub-cluster-arn=${arn}`))
    const account = await kube.of(serviceAccounts, hubNamespace).get('registration-controller-sa')
    assert.deepEqual(account.metadata.annotations, { 'lanyard.io/hub-cluster-arn': arn })
    // No kubelet runs the hub here, so it runs as a process, and its webhooks are called there.
    const hub = await prepareHub(t, plane, '--registration-auth=aws-irsa', '--hub-cluster-arn', arn)
    await inEnvironment(machine, () =>
      hubProcess(t, plane, kube, hub, '--enabled-registration-drivers', 'awsirsa', '--hub-cluster-arn', arn),
    )

    const token = hub.invited['hub-token']
    const join = `join --registration-auth=aws-irsa --hub-token ${token} --hub-apiserver ${plane.url}`
    const refused = await run(t, `${join} --cluster-name managed-0`, onManaged)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /--eks-hub-cluster-arn/)
    assert.equal(await kube.of(namespaces).find(agentNamespace), undefined)
    assert.equal(await cluster('managed-0'), undefined)

    const joined = await run(t, `${join} --eks-hub-cluster-arn ${arn} --cluster-name managed-0`, onManaged)
    assert.equal(joined.code, 0, joined.err.replace(token, '…'))
    assert.match(joined.out, /the role of this cluster is in IAM/)
    const agent = await kube.of(serviceAccounts, agentNamespace).get('lanyard-agent')
    assert.equal(agent.metadata.annotations?.['eks.amazonaws.com/role-arn'], spoke.role.roleArn)
    const env = { ...machine, ...spoke.env }
    await inEnvironment(env, () => agentProcess(t, plane, kube))
    await eventually('the agent has asked', () => cluster('managed-0'), { withinMs: 45_000 })
    assert.equal(ground.hubSide.role(hubRole), undefined)

    await t.test('who has no AWS credentials, those of another account or no rights has let nobody in', async (t) => {
      const { KUBECONFIG } = onHub
      const others: [Env, RegExp][] = [
        [{}, /AWS_NO_CREDENTIALS/],
        [as(ground.managedSide.admin), /AWS_WRONG_ACCOUNT/],
        [as(ground.hubSide.user('nobody')), /AWS_REFUSED/],
      ]
      for (const [env, why] of others) {
        const refused = await run(t, 'accept managed-0', { KUBECONFIG, ...env })
        assert.deepEqual([refused.code, why.test(refused.err)], [1, true], refused.err)
      }
      assert.equal((await cluster('managed-0'))?.spec?.hubAcceptsClient, false)
      assert.equal(ground.hubSide.role(hubRole), undefined)
    })

    const accepted = await run(t, 'accept --clusters managed-0', onHub)
    assert.equal(accepted.code, 0, accepted.err)
    assert.match(accepted.out, /managed-0 has its AWS role[\s\S]*managed-0 is accepted/)
    assert.ok(ground.hubSide.role(hubRole))
    await eventually(
      'the cluster has joined',
      async () => isTrue((await cluster('managed-0'))?.status?.conditions, conditions.joined),
      { withinMs: 60_000 },
    )
    assert.deepEqual((await kube.of(certificateSigningRequests).list()).items, [])

    await t.test('who has no AWS credentials takes no cluster out by halves', async (t) => {
      const refused = await run(t, 'unjoin managed-0', { KUBECONFIG: onHub.KUBECONFIG })
      assert.equal(refused.code, 1)
      assert.match(refused.err, /AWS_NO_CREDENTIALS/)
      assert.equal((await cluster('managed-0'))?.metadata.deletionTimestamp, undefined)
    })

    await t.test('accept again ends well, and deny takes the role with the same credentials', async (t) => {
      const again = await run(t, 'accept managed-0', onHub)
      assert.equal(again.code, 0, again.err)
      assert.match(again.out, /managed-0 is accepted already/)
      const denied = await run(t, 'deny managed-0', onHub)
      assert.equal(denied.code, 0, denied.err)
      assert.match(denied.out, /managed-0 has no AWS role any more/)
      assert.equal(ground.hubSide.role(hubRole), undefined)
      assert.deepEqual(ground.hub.cluster.accessEntries(), [])
    })
  })

  test('a join whose role is not in IAM says what to make, and installs nothing', async (t) => {
    const site = await ground.site('no-role')
    const onManaged = { KUBECONFIG: await eksKubeconfig(t, plane, site.eks.arn), ...as(ground.managedSide.admin) }
    const hub = ['--eks-hub-cluster-arn', ground.hub.eks.arn, '--hub-apiserver', plane.url, '--skip-hub-check']
    const line = `join --registration-auth awsirsa ${hub.join(' ')} --hub-token x --cluster-name other --namespace no-role`
    const refused = await run(t, line, onManaged)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /the hub will know this cluster as other, and EKS knows it as no-role/)
    assert.match(refused.err, /"roleName": "ocm-managed-cluster-[0-9a-f]{32}"[\s\S]*does not exist/)
    assert.equal(await kube.of(namespaces).find('no-role'), undefined)
    // With credentials that cannot tell it is a warning, and so it is when nobody looks.
    const unsure = await run(t, line, onManaged, as(ground.managedSide.user('nobody')))
    assert.equal(unsure.code, 0, unsure.err)
    assert.match(unsure.err, /your AWS identity may not do iam:GetRole/)
    const skipped = await run(t, `${line} --skip-aws-preflight`, onManaged)
    assert.equal(skipped.code, 0, skipped.err)
    const { spec } = await kube.of(deployments, 'no-role').get('lanyard-agent')
    const args = spec?.template.spec?.containers[0]?.args ?? []
    assert.ok(args.includes(`--managed-cluster-arn=${site.eks.arn}`), args.join(' '))
  })

  test('the role of a hub that makes roles itself is looked at by init, and by aws check', async (t) => {
    const onHub = { KUBECONFIG: await eksKubeconfig(t, plane, ground.hub.eks.arn), ...as(ground.hubSide.admin) }
    const wish = '--registration-auth aws-irsa --aws-creator-role'
    const made = await run(t, `init ${wish} --dry-run`, onHub)
    assert.match(made.out, /^Role kube-system\/lanyard-hub-aws-auth$/m)
    const check = await run(t, `aws check hub --hub-cluster-arn ${ground.hub.eks.arn}`, onHub)
    assert.equal(check.code, 0, check.err)
    assert.match(check.out, /hub_managed-cluster-identity-creator is as it has to be/)
    const unseen = await run(t, `aws check hub --hub-cluster-arn ${ground.hub.eks.arn}`)
    assert.equal(unseen.code, 1)
    assert.match(unseen.err, /no AWS credentials here[\s\S]*AWS_NOT_SEEN/)
    const other = await ground.site('other-hub', { account: ground.hubSide.id })
    const elsewhere = { KUBECONFIG: await eksKubeconfig(t, plane, other.eks.arn) }
    const refused = await run(t, `init ${wish} --namespace other-hub`, onHub, elsewhere)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /other-hub_managed-cluster-identity-creator does not exist/)
    assert.equal(await kube.of(namespaces).find('other-hub'), undefined)
  })
})

/** Nothing of this machine's own, and the stand-in for AWS. */
const awsElsewhere = ({ aws }: AwsGround): Env => ({
  AWS_ENDPOINT_URL: aws.url,
  AWS_REGION: region,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
})

/** As `aws eks update-kubeconfig` writes it: cluster, user and context are called by the ARN. */
async function eksKubeconfig(t: TestScope, plane: OwnControlPlane, arn: string): Promise<string> {
  const path = join(tempDir(t), 'config')
  const text = await readFile(plane.adminKubeconfigPath, 'utf8')
  const { parse, stringify } = await import('yaml')
  const config = parse(text)
  config.clusters[0].name = arn
  config.users[0].name = arn
  config.contexts[0] = { name: arn, context: { cluster: arn, user: arn } }
  config['current-context'] = arn
  await writeFile(path, stringify(config), { mode: 0o600 })
  return path
}
