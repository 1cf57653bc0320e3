import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import type { Random } from '../../src/core/random.ts'
import { systemRandom } from '../../src/core/random.ts'
import { conditions, labels, rbacNames } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { certificateSigningRequests, clusterRoleBindings, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeconfigCluster } from '../../src/kube/kubeconfig/index.ts'
import { formatKubeconfig, parseKubeconfig } from '../../src/kube/kubeconfig/index.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { AgentSettings } from '../../src/registration/agent/deps.ts'
import { defaultAgentSettings } from '../../src/registration/agent/deps.ts'
import type { AgentParts, RegistrationAgent } from '../../src/registration/agent/index.ts'
import { registrationAgent } from '../../src/registration/agent/index.ts'
import { csrHubDriver } from '../../src/registration/drivers/csr/hub.ts'
import { healthRuns } from '../../src/registration/hub/health/index.ts'
import { membershipRuns } from '../../src/registration/hub/membership/index.ts'
import { bootstrapManifests } from '../../src/registration/manifests/bootstrap.ts'
import { aClusterRoleBinding, aUser, uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually, livesBy } from './eventually.ts'
import { FakeClock } from './fake-clock.ts'
import type { HubScene, HubSceneOptions } from './fleet-scene.ts'
import { hubScene, runInTest } from './fleet-scene.ts'
import { freshNamespace } from './fresh-namespace.ts'
import type { TestClientOptions } from './kube-client.ts'
import { kubeClient } from './kube-client.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'

export const bootstrapUser = 'bootstrap'

export interface AgentSceneOptions {
  /** Default: one of its own. `null`: the agent finds a name by itself. */
  cluster?: string | null
  settings?: Partial<AgentSettings>
  /** Default: the system's. Clients always run on the system's clock. */
  clock?: Clock
  /** Default: the system's. */
  random?: Random
  log?: Log
  checkpoint?: Checkpoint
  /** Content of the bootstrap kubeconfig. Default: of the user `bootstrap`. `null`: there is no file. */
  bootstrap?: string | null
  /** Where the agent runs and what it manages. Default: the hub itself. */
  home?: ControlPlane
  parts?: AgentParts
  /** Of its clients for the hub. */
  client?: TestClientOptions
}

export interface AgentScene {
  /** As the admin, of the hub. */
  admin: KubeClient
  /** As the admin, of where the agent runs. */
  home: KubeClient
  /** The name it was given; '' for none. A test that learns or changes the name says so here. */
  cluster: string
  namespace: string
  clock: Clock
  /** Holds `bootstrap.kubeconfig` and the folder `hub` with the agent's files. */
  dir: string
  bootstrapPath: string
  /** The one that runs or ran last. */
  readonly agent: RegistrationAgent
  start(settings?: Partial<AgentSettings>): RegistrationAgent
  stop(): Promise<void>
  /** The texts in the agent's Secret; undefined when there is none. */
  secret(): Promise<Record<string, string> | undefined>
  /** The requests of a cluster on the hub, oldest first. Default: of its own. */
  csrs(cluster?: string): Promise<Stored<CertificateSigningRequest>[]>
  condition(type: string): Promise<Condition | undefined>
}

/**
 * An agent in this process that has just been started on a hub: the kinds have to be there (`hubScene`,
 * `installFleetKinds`). Its bootstrap user has the rights of the bootstrap role and no others.
 */
export async function agentScene(
  t: TestScope,
  plane: ControlPlane,
  options: AgentSceneOptions = {},
): Promise<AgentScene> {
  const admin = kubeClient(t, plane.connection())
  const home = options.home ? kubeClient(t, options.home.connection()) : admin
  await allowBootstrap(admin)
  const namespace = await freshNamespace(t, home)
  const dir = tempDir(t)
  const bootstrapPath = join(dir, 'bootstrap.kubeconfig')
  const bootstrap = options.bootstrap === undefined ? await bootstrapKubeconfig(plane) : options.bootstrap
  if (bootstrap !== null) writeFileSync(bootstrapPath, bootstrap)
  const cluster = options.cluster === undefined ? uniqueName('cluster') : (options.cluster ?? '')
  const settings: AgentSettings = {
    ...defaultAgentSettings,
    namespace,
    ...(cluster !== '' && { clusterName: cluster }),
    hubKubeconfigDir: join(dir, 'hub'),
    bootstrapKubeconfigs: [bootstrapPath],
    ...options.settings,
  }
  const clock = options.clock ?? systemClock
  livesBy(t, clock)
  let agent: RegistrationAgent
  let stop = async () => {}
  const start = (other: Partial<AgentSettings> = {}) => {
    agent = registrationAgent(
      {
        management: home,
        spoke: home,
        connect: (connection) => kubeClient(t, connection, options.client),
        clock,
        random: options.random ?? systemRandom,
        log: options.log ?? silentLog,
        metrics: noMetrics,
        checkpoint: options.checkpoint ?? passBy,
        settings: { ...settings, ...other },
      },
      options.parts,
    )
    stop = runInTest(t, [agent.run])
    return agent
  }
  start()
  const scene: AgentScene = {
    admin,
    home,
    cluster,
    namespace,
    clock,
    dir,
    bootstrapPath,
    get agent() {
      return agent
    },
    start,
    stop: () => stop(),
    async secret() {
      const found = await home.of(secrets, namespace).find(settings.hubKubeconfigSecret)
      return found && Object.fromEntries(Object.entries(found.data ?? {}).map(([key, value]) => [key, plain(value)]))
    },
    csrs: (name = scene.cluster) => csrsOf(admin, name),
    async condition(type) {
      const found = await admin.of(ManagedCluster.resource).find(scene.cluster)
      return findCondition(found?.status?.conditions as Condition[] | undefined, type)
    },
  }
  return scene
}

const plain = (value: string): string => Buffer.from(value, 'base64').toString()

export async function csrsOf(admin: Kube, cluster: string): Promise<Stored<CertificateSigningRequest>[]> {
  const { items } = await admin
    .of(certificateSigningRequests)
    .list({ labelSelector: `${labels.clusterName}=${cluster}` })
  const age = ({ metadata }: Stored<CertificateSigningRequest>) => Date.parse(`${metadata.creationTimestamp}`)
  return items.sort((a, b) => age(a) - age(b))
}

/** A kubeconfig of the bootstrap user. */
export async function bootstrapKubeconfig(plane: ControlPlane): Promise<string> {
  const certificate = await plane.issueClientCertificate({ commonName: bootstrapUser })
  return plane.kubeconfig({ certificate })
}

/** The kubeconfig with another stanza for its hub. */
export function withHub(kubeconfig: string, change: Partial<KubeconfigCluster>, name = 'test'): string {
  const config = parseKubeconfig(kubeconfig, { name: 'test' })
  const clusters = config.clusters.map(({ value }) => ({ name, value: { ...value, ...change } }))
  const contexts = config.contexts.map((context) => ({ ...context, value: { ...context.value, cluster: name } }))
  return formatKubeconfig({ ...config, clusters, contexts }).reveal()
}

/** The bootstrap role as it is installed, for the bootstrap user. */
export async function allowBootstrap(admin: Kube): Promise<void> {
  const name = rbacNames.bootstrapRole
  const manager = { fieldManager: 'test', force: true }
  const role = bootstrapManifests().find(({ object }) => object.kind === 'ClusterRole')
  if (!role) throw new Error('there is no bootstrap role')
  await admin.of(role.resource).apply(role.object, manager)
  await admin.of(clusterRoleBindings).apply(aClusterRoleBinding(name, aUser(bootstrapUser)), manager)
}

/** The request that waits for a verdict, once there is one. */
export async function pendingCsr(
  scene: AgentScene,
  cluster = scene.cluster,
): Promise<Stored<CertificateSigningRequest>> {
  return await eventually('a certificate request waits', async () =>
    (await scene.csrs(cluster)).find(({ status }) => (status?.conditions ?? []).length === 0),
  )
}

/** As an administrator of the hub would. */
export async function decide(admin: Kube, name: string, type: 'Approved' | 'Denied', reason = 'Test'): Promise<void> {
  const csrs = admin.of(certificateSigningRequests)
  const csr = await csrs.get(name)
  const condition = { type, status: 'True', reason, message: 'by the test' }
  await csrs.update({ ...csr, status: { ...csr.status, conditions: [condition] } }, { subresource: 'approval' })
}

export const approve = async (scene: AgentScene, cluster = scene.cluster): Promise<string> => {
  const { metadata } = await pendingCsr(scene, cluster)
  await decide(scene.admin, metadata.name, 'Approved')
  return metadata.name
}

export const setAccepted = (admin: Kube, cluster: string, hubAcceptsClient = true) =>
  admin.of(ManagedCluster.resource).patch(cluster, { type: 'merge', body: { spec: { hubAcceptsClient } } })

/** A hub that approves, accepts on request, gives rights and watches leases. */
export const joinHub = (t: TestScope, plane: ControlPlane, options: HubSceneOptions = {}): Promise<HubScene> =>
  hubScene(t, plane, {
    ...options,
    parts: (deps) => {
      const driver = csrHubDriver(deps)
      return [driver.run, ...membershipRuns(deps, [driver]), ...healthRuns(deps), ...(options.parts?.(deps) ?? [])]
    },
  })

/** Accepts its cluster and approves its request, and waits until it works there. */
export async function letIn(scene: AgentScene, cluster = scene.cluster): Promise<void> {
  const clusters = scene.admin.of(ManagedCluster.resource)
  await eventually('its cluster is there', () => clusters.find(cluster))
  await setAccepted(scene.admin, cluster)
  await eventually(
    'its cluster is accepted',
    async () => (await scene.condition(conditions.accepted))?.status === 'True',
  )
  await approve(scene, cluster)
  await isJoined(scene)
}

/** Lets a little time pass between two looks, where time does not pass by itself. */
export const isJoined = (scene: AgentScene): Promise<unknown> =>
  eventually(
    'the agent has joined',
    async () => {
      if (scene.clock instanceof FakeClock) await scene.clock.advance(100)
      const joined = await scene.condition(conditions.joined)
      return { joined: joined?.status, phase: scene.agent.state().phase, trouble: scene.agent.state().trouble }
    },
    { until: ({ joined, phase }) => joined === 'True' && phase === 'joined' },
  )
