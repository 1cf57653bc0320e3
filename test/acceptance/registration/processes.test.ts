import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { ManagedClusterSet } from '../../../src/apis/cluster/managed-cluster-set.ts'
import { defaultSet, hubNamespace } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { leases, namespaces } from '../../../src/kube/kinds.ts'
import { freePort } from '../../support/control-plane/ports.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { PreparedHub } from '../../support/hub-process.ts'
import { hubProcess, prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { Running } from '../../support/lanyard.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'

describe('the processes of a fleet', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let kube: KubeClient
  let prepared: PreparedHub
  before(async () => {
    plane = await startControlPlane(suite, { ownProcess: true })
    kube = kubeClient(suite, plane.connection())
    prepared = await prepareHub(suite, plane)
  })

  const clusters = () => kube.of(ManagedCluster.resource)

  test('a hub leads and answers webhooks, and leaves its lease free when it is stopped', async (t) => {
    const hub = await hubProcess(t, plane, kube, prepared)
    await hub.says('this process leads')
    assert.equal(await health(prepared.webhookUrl), 200)
    await clusters().create({ metadata: { name: 'webhooked' } })
    assert.equal(
      (await clusters().get('webhooked')).metadata.labels?.['cluster.open-cluster-management.io/clusterset'],
      'default',
    )
    await stops(hub)
    assert.equal((await kube.of(leases, hubNamespace).get('lanyard-hub')).spec?.holderIdentity, '')
  })

  test('without the hub nobody is let in: its webhooks fail closed', async () => {
    const refused = await clusters()
      .create({ metadata: { name: 'unseen' } })
      .catch((error: unknown) => error)
    assert.ok(refused instanceof Error)
    assert.equal(isForbidden(refused), false)
    assert.equal(await clusters().find('unseen'), undefined)
  })

  test('a namespace for the lease is made where there is none', async (t) => {
    const agent = lanyard(t, [
      'agent',
      ...['--kubeconfig', plane.adminKubeconfigPath, '--namespace', 'not-there-yet', '--listen', '127.0.0.1:0'],
      ...['--bootstrap-kubeconfig', join(tempDir(t), 'later'), '--hub-kubeconfig-dir', join(tempDir(t), 'hub')],
    ])
    await eventually('the namespace is there', () => kube.of(namespaces).find('not-there-yet'))
    await stops(agent)
  })

  test('a hub starts while its API server is away, works when it comes, and outlives its next absence', async (t) => {
    await plane.kill(plane.apiServer)
    const hub = lanyard(t, [
      'hub',
      '--kubeconfig',
      plane.adminKubeconfigPath,
      '--listen',
      '127.0.0.1:0',
      '--disable-leader-election',
    ])
    await hub.says('waiting for https://')
    await plane.start(plane.apiServer)
    await hub.says('the API server answers')
    const sets = kube.of(ManagedClusterSet.resource)
    await eventually('it makes the default set', () => sets.find(defaultSet), { withinMs: 30_000 })
    await plane.kill(plane.apiServer)
    await plane.start(plane.apiServer)
    await sets.delete(defaultSet)
    await eventually('it makes it again', () => sets.find(defaultSet), { withinMs: 60_000 })
    assert.equal(hub.child.exitCode, null)
    await stops(hub)
  })

  test('an agent without a hub answers /healthz, and says at /readyz what it lacks', async (t) => {
    const url = `https://127.0.0.1:${await freePort()}`
    const agent = lanyard(t, [
      'agent',
      ...['--kubeconfig', plane.adminKubeconfigPath, '--namespace', 'default', '--listen', new URL(url).host],
      ...['--bootstrap-kubeconfig', join(tempDir(t), 'later'), '--hub-kubeconfig-dir', join(tempDir(t), 'hub')],
    ])
    await agent.says('are served')
    assert.equal(await health(url), 200)
    assert.equal(await health(url, '/readyz'), 500)
    await stops(agent)
  })

  test('flags that mean nothing here are refused by name', async (t) => {
    const kubeconfig = ['--kubeconfig', plane.adminKubeconfigPath]
    const bootstrap = join(tempDir(t), 'bootstrap')
    await writeFile(bootstrap, '')
    const agent = ['agent', ...kubeconfig, '--bootstrap-kubeconfig', bootstrap]
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
    const awsHub = [...kubeconfig, '--enabled-registration-drivers', 'awsirsa', '--hub-cluster-arn']
    const refused: [string[], number, RegExp][] = [
      [['hub', ...kubeconfig, '--no-such-flag'], 2, /unknown option '--no-such-flag'/],
      [['hub', ...kubeconfig, '--enabled-registration-drivers', 'csr,grpc'], 1, /grpc comes with a later version/],
      [['hub', ...kubeconfig, '--feature-gates', 'ClusterProfile=true'], 1, /ClusterProfile is always off/],
      [['hub', ...kubeconfig, '--enabled-registration-drivers', 'aws-irsa'], 1, /add --hub-cluster-arn ARN/],
      [['hub', ...kubeconfig, '--hub-cluster-arn', arn], 1, /add awsirsa to --enabled-registration-drivers/],
      [['hub', ...awsHub, 'arn:aws:eks'], 1, /--hub-cluster-arn: "arn:aws:eks" is not the ARN of an EKS cluster/],
      [['hub', ...awsHub, arn, '--aws-resource-tags', 'team'], 1, /--aws-resource-tags: the tag "team"/],
      [
        ['hub', ...awsHub, arn, '--auto-approved-arn-patterns', '.*'],
        1,
        /while the feature gate ManagedClusterAutoApp/,
      ],
      [[...agent, '--registration-auth', 'awsirsa'], 1, /add --hub-cluster-arn ARN/],
      [[...agent, '--registration-auth', 'grpc'], 1, /grpc comes with a later version.*takes csr, awsirsa/],
      [[...agent, '--feature-gates', 'MultipleHubs=true'], 1, /at least two bootstrap kubeconfigs/],
    ]
    await Promise.all(
      refused.map(async ([args, exitCode, why]) => {
        const { code, err } = await lanyard(t, args).ended
        assert.match(err, why)
        assert.equal(code, exitCode)
      }),
    )
  })
})

/** Ends by itself, and well, when a service manager asks. How soon is for the soak runs: a busy machine proves nothing. */
async function stops(running: Running): Promise<void> {
  running.child.kill('SIGTERM')
  const { code, err } = await running.ended
  assert.equal(code, 0, err)
}

const health = (url: string, path = '/healthz'): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { rejectUnauthorized: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('error', reject).end()
  })
