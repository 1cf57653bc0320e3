/** Which ways to join a hub offers, as its process is started, and which one a cluster comes by. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { applyManifests } from '../../../src/cli/apply-manifests.ts'
import { planInit } from '../../../src/cli/init-plan.ts'
import { hubNamespace } from '../../../src/fleet/names.ts'
import { agentScene, letIn, setAccepted } from '../../support/agent-scene.ts'
import { awsMember } from '../../support/aws-agent-scene.ts'
import { marks } from '../../support/aws-names.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { changesSince, isAccepted, whyNotAccepted } from '../../support/aws-watch.ts'
import { kubeconfigOf } from '../../support/control-plane/access.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import type { Running } from '../../support/lanyard.ts'
import { lanyard } from '../../support/lanyard.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

/** With the web identity of the hub's pod, and the account that `lanyard init` makes. */
async function startHub(t: TestScope, scene: AwsScene, drivers: string): Promise<Running> {
  const { plane, admin, aws, hub, hubEnv } = scene
  const plan = planInit({ namespace: hubNamespace, aws: { hubClusterArn: hub.eks.arn } }, '')
  await applyManifests(admin, plan.identities, AbortSignal.timeout(30_000))
  const arn = drivers === 'csr' ? [] : ['--hub-cluster-arn', hub.eks.arn]
  const place = ['--kubeconfig', plane.adminKubeconfigPath, '--listen', '127.0.0.1:0', '--disable-leader-election']
  const env = { ...hubEnv, AWS_ENDPOINT_URL: aws.url }
  const running = lanyard(t, ['hub', ...place, '--enabled-registration-drivers', drivers, ...arn], env)
  await running.says('are served')
  return running
}

async function end(running: Running): Promise<void> {
  running.child.kill('SIGTERM')
  const { code, err } = await running.ended
  assert.equal(code, 0, err)
}

/** What an API server says of itself, and nothing else. */
async function versionOnly(t: TestScope, gitVersion: string): Promise<string> {
  const { url, caPem } = await startHttpsServer(t, ({ path }) => (path === '/version' ? { gitVersion } : undefined))
  const kubeconfig = join(tempDir(t), 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigOf({ url, caPem }, {}))
  return kubeconfig
}

test(
  'R84: a hub works with csr, with aws-irsa and with both, where the mark of a cluster chooses; csr is refused on EKS with the reason',
  needsControlPlane,
  async (t) => {
    const scene = await awsScene(t)
    await scene.stopHub()
    const clusters = scene.admin.of(ManagedCluster.resource)
    const byCertificate = async () => {
      const agent = await agentScene(t, scene.plane)
      await letIn(agent)
      await agent.stop()
    }
    const byRole = async (name: string) => {
      const spoke = await scene.spoke(name)
      const agent = await awsMember(t, scene, spoke)
      assert.deepEqual(await agent.csrs(), [])
      assert.ok((await whoAmI(scene.clientOf(t, spoke))).groups.includes(`open-cluster-management:${agent.cluster}`))
      await agent.stop()
    }

    // One way: clusters of the other one are told which driver would have to run, and get nothing.
    let hub = await startHub(t, scene, 'csr')
    await byCertificate()
    const stranger = await scene.spoke('stranger')
    const from = scene.aws.calls.length
    await scene.accept('stranger', stranger)
    assert.match(await whyNotAccepted(scene, 'stranger'), /awsirsa.*--enabled-registration-drivers/)
    assert.deepEqual(changesSince(scene, from), [])
    await end(hub)

    hub = await startHub(t, scene, 'aws-irsa')
    await byRole('alone')
    await clusters.create({ metadata: { name: 'plain' }, spec: { hubAcceptsClient: true } })
    assert.match(await whyNotAccepted(scene, 'plain'), /\bcsr\b.*--enabled-registration-drivers/)
    // What the hub could not do for it before it does now.
    await isAccepted(scene, 'stranger')
    await end(hub)

    hub = await startHub(t, scene, 'csr,awsirsa')
    await Promise.all([byCertificate(), byRole('together')])
    await isAccepted(scene, 'plain')
    const marked = await scene.spoke('marked')
    await clusters.create({ metadata: { name: 'marked', annotations: { [marks.arn]: marked.eks.arn } } })
    await setAccepted(scene.admin, 'marked')
    await isAccepted(scene, 'marked')
    assert.ok(scene.hubSide.role(hubRoleOf(scene.hub, marked).name))
    await end(hub)

    // Certificates on EKS.
    const arn = ['--hub-cluster-arn', scene.hub.eks.arn]
    const onKube = scene.plane.adminKubeconfigPath
    const onEks = await versionOnly(t, 'v1.33.5-eks-a1b2c3d')
    const noCertificates = /EKS.* signs no client certificates/
    const refused: [kubeconfig: string, flags: string[], why: RegExp][] = [
      [onKube, ['--enabled-registration-drivers', 'csr', ...arn], noCertificates],
      [onKube, arn, noCertificates],
      [onEks, ['--enabled-registration-drivers', 'csr'], /v1\.33\.5-eks-a1b2c3d/],
      [onEks, ['--enabled-registration-drivers', 'csr,awsirsa', ...arn], /v1\.33\.5-eks-a1b2c3d/],
    ]
    for (const [kubeconfig, flags, why] of refused) {
      const { code, err } = await lanyard(t, ['hub', '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0', ...flags])
        .ended
      assert.notEqual(code, 0)
      assert.match(err, why)
      assert.match(err, noCertificates)
      assert.match(err, /awsirsa/)
    }
  },
)
