import { readFile } from 'node:fs/promises'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { AuthenticationMode } from '../../src/demo/aws/index.ts'
import { conditions } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { openAws } from '../../src/registration/drivers/awsirsa/clients/open.ts'
import { awsHubDriver } from '../../src/registration/drivers/awsirsa/hub.ts'
import { arnsLike } from '../../src/registration/drivers/awsirsa/testing/samples.ts'
import { tokenSource } from '../../src/registration/drivers/awsirsa/token/token-source.ts'
import { csrHubDriver } from '../../src/registration/drivers/csr/hub.ts'
import type { HubSettings } from '../../src/registration/hub/deps.ts'
import { defaultHubSettings } from '../../src/registration/hub/deps.ts'
import type { HubDriverFactory } from '../../src/registration/hub/index.ts'
import { registrationHub } from '../../src/registration/hub/index.ts'
import type { AwsGround, AwsSpoke } from './aws-ground.ts'
import { awsGround, region } from './aws-ground.ts'
import { digest, marks } from './aws-names.ts'
import type { AwsPlane } from './aws-plane.ts'
import { startAwsPlane } from './aws-plane.ts'
import { livesBy } from './eventually.ts'
import { runInTest } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'
import { serveWebhooks } from './webhook-scene.ts'

export interface AwsHubOptions {
  /** In this order. Default: awsirsa, csr. */
  drivers?: readonly ('awsirsa' | 'csr')[]
  settings?: Partial<HubSettings>
  tags?: Readonly<Record<string, string>>
  autoApprovedArnPatterns?: readonly string[]
  /** Of the hub. Default: the system's; AWS and the API server always live by that. */
  clock?: Clock
}

export interface AwsSceneOptions extends AwsHubOptions {
  authenticationMode?: AuthenticationMode
}

export interface AwsScene extends AwsGround, AwsPlane {
  /** As the admin of the hub. */
  admin: KubeClient
  cluster(name: string): Promise<Stored<ManagedCluster>>
  /** Another hub in place of the one that ran. */
  restartHub(options?: AwsHubOptions): Promise<void>
  stopHub(): Promise<void>
  /** A ManagedCluster as an agent of Lanyard makes it, accepted. */
  accept(name: string, spoke: Pick<AwsSpoke, 'eks'>, annotations?: Readonly<Record<string, string>>): Promise<void>
  /** A client of the hub by the AWS identity of a pod, as `role` on the hub. Default: the role of its own. */
  clientOf(t: TestScope, spoke: AwsSpoke, role?: AwsSpoke): KubeClient
}

/** A hub on EKS, on AWS's stand-in and a real or embedded API server, with webhooks and all controllers of registration. */
export async function awsScene(t: TestScope, options: AwsSceneOptions = {}): Promise<AwsScene> {
  const { authenticationMode, clock = systemClock } = options
  const ground = await awsGround(t, authenticationMode === undefined ? {} : { authenticationMode })
  const ownPlane = await startAwsPlane(t, ground)
  const { plane } = ownPlane
  const { admin } = await serveWebhooks(t, plane, { clock })
  let stop = startHub(t, admin, ground, options)
  return {
    ...ground,
    ...ownPlane,
    admin,
    cluster: (name) => admin.of(ManagedCluster.resource).get(name),
    async restartHub(other) {
      await stop()
      stop = startHub(t, admin, ground, { ...options, ...other })
    },
    stopHub: () => stop(),
    async accept(name, { eks }, annotations = { [marks.arn]: eks.arn }) {
      await admin
        .of(ManagedCluster.resource)
        .create({ metadata: { name, annotations }, spec: { hubAcceptsClient: true } })
    },
    clientOf(test, spoke, role = spoke) {
      const tokens = tokensOf(ground, spoke, role)
      const credentials = async () => ({ authorization: (await tokens.token()).token })
      return kubeClient(test, { ...plane.connection(), credentials })
    },
  }
}

/** With the creator role and no other rights in AWS. */
function startHub(t: TestScope, kube: KubeClient, ground: AwsGround, options: AwsHubOptions): () => Promise<void> {
  const { clock = systemClock, drivers = ['awsirsa', 'csr'] } = options
  livesBy(t, clock)
  const common = { clock, random: systemRandom, log: silentLog }
  const factories = { awsirsa: awsDriver(t, ground, options), csr: csrHubDriver }
  const hub = registrationHub(
    {
      ...common,
      kube,
      metrics: noMetrics,
      events: eventRecorder(kube, { ...common, component: 'lanyard-hub' }),
      checkpoint: passBy,
      settings: { ...defaultHubSettings, ...options.settings },
    },
    drivers.map((name) => factories[name]),
  )
  return runInTest(t, [hub.run])
}

const awsDriver =
  (t: TestScope, { aws, hub, hubSide, creator }: AwsGround, options: AwsHubOptions): HubDriverFactory =>
  (deps) => {
    const clients = openAws({
      region,
      clusterName: hub.eks.name,
      clock: systemClock,
      endpoint: aws.url,
      credentials: hubSide.session(creator.roleName, { name: 'hub' }),
    })
    teardown(t, () => clients[Symbol.dispose]())
    return awsHubDriver({
      ...deps,
      clusters: deps.view.clusters,
      hub: hub.eks,
      tags: options.tags ?? {},
      iam: clients.iam,
      eks: clients.eks,
      isEks: async () => true,
      ...(options.autoApprovedArnPatterns && { autoApprovedArns: arnsLike(options.autoApprovedArnPatterns) }),
    })
  }

/** What the pod of an agent gets by its web identity, as the role of `role` on the hub. */
export const tokensOf = ({ aws, hub }: AwsGround, { env }: AwsSpoke, role: AwsSpoke) =>
  tokenSource(
    { region, clusterName: hub.eks.name, roleArn: hubRoleOf(hub, role).arn, endpoint: new URL(aws.url) },
    { env, clock: systemClock, readFile: (path) => readFile(path, 'utf8') },
  )

/** The role that the hub makes for a cluster, by the contract and not by the driver. */
export function hubRoleOf(hub: AwsGround['hub'], { eks }: Pick<AwsSpoke, 'eks'>) {
  const suffix = digest(hub.eks.account, hub.eks.name, eks.account, eks.name)
  const name = `ocm-hub-${suffix}`
  return { suffix, name, arn: `arn:aws:iam::${hub.eks.account}:role/${name}` }
}

export const acceptedOf = async (scene: Pick<AwsScene, 'cluster'>, name: string) =>
  (await scene.cluster(name)).status?.conditions?.find(({ type }) => type === conditions.accepted)
