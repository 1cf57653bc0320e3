import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { everywhere } from '../../src/core/egress.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import type { JoinedHub } from '../../src/fleet/joined.ts'
import { serviceAccount } from '../../src/fleet/manifests/rbac.ts'
import type { SpokeSettings } from '../../src/fleet/spoke/index.ts'
import { createSpokes, defaultSpokeSettings, spokeView } from '../../src/fleet/spoke/index.ts'
import { handoverAccount, handoverSecret, spokeAnnotations } from '../../src/fleet/spoke/names.ts'
import { spokeRbacManifests } from '../../src/fleet/spoke/rbac.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { HandoverAgentSettings } from '../../src/reach/handover/agent.ts'
import { handoverAgent, noHandover } from '../../src/reach/handover/agent.ts'
import { handoverHub } from '../../src/reach/handover/hub.ts'
import { defaultReachSettings } from '../../src/reach/hub/deps.ts'
import { reachHub } from '../../src/reach/hub/index.ts'
import type { HubDeps } from '../../src/registration/hub/deps.ts'
import type { AgentScene, AgentSceneOptions } from './agent-scene.ts'
import { agentScene, isJoined, joinHub, letIn } from './agent-scene.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import type { HubScene, HubSceneOptions } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

/** The reach part of a hub, for `parts` of a scene. */
export function reachRuns(deps: HubDeps, kube: Kube = deps.kube, settings: Partial<SpokeSettings> = {}): Run[] {
  const own = { ...deps, kube, events: eventRecorder(kube, { ...deps, component: 'lanyard-hub' }) }
  const view = spokeView(kube, deps)
  const spokes = createSpokes({ ...own, view, settings: () => ({ ...defaultSpokeSettings, ...settings }) })
  const parts = { ...own, view, spokes, settings: () => defaultReachSettings, egress: () => everywhere }
  const handover = handoverHub({ ...parts, clusters: deps.view.clusters, labels: {} })
  return [view.run, spokes.run, reachHub(parts).run, handover.run]
}

/** A hub that lets clusters in and takes over ways into them. */
export const handoverHubScene = (
  t: TestScope,
  plane: ControlPlane,
  { checkpoint = passBy, ...options }: HubSceneOptions & { checkpoint?: Checkpoint } = {},
): Promise<HubScene> => joinHub(t, plane, { ...options, parts: (deps) => reachRuns({ ...deps, checkpoint }) })

export interface HandoverSceneOptions extends AgentSceneOptions {
  /** Default: an hour. */
  tokenSeconds?: number
  /** Who the agent is on its cluster. Default: its admin. */
  spoke?: (namespace: string) => Promise<Kube>
}

export interface HandoverScene extends AgentScene {
  /** As the hub's people do: lets the agent hand over a way in, or takes that back. */
  invite(isWanted?: boolean): Promise<void>
  /** What the Secret on the hub holds; undefined where there is none. */
  handed(): Promise<string | undefined>
  config(): Promise<Stored<ClusterConfig> | undefined>
  /** Waits until the condition of the ClusterConfig has this status. */
  reaches(type: string, status: Condition['status'], reason?: string): Promise<Condition>
  /** Stops the agent and starts it anew, with or without the offer. */
  restart(isOffered: boolean): Promise<void>
  address: Pick<HandoverAgentSettings, 'server' | 'caPem'>
}

/** An agent that has joined the hub and offers a way into its cluster, whose installation gave the account its rights. */
export async function handoverScene(
  t: TestScope,
  plane: ControlPlane,
  { tokenSeconds = 3_600, ...options }: HandoverSceneOptions = {},
): Promise<HandoverScene> {
  const home = options.home ?? plane
  const { server, tls } = home.connection()
  const address = { server, caPem: tls.ca }
  const log: Log = options.log ?? silentLog
  let isOffered = true
  let own: Kube | undefined
  const part = (joined: JoinedHub) => {
    const deps = {
      spoke: own ?? scene.home,
      clock: options.clock ?? systemClock,
      random: systemRandom,
      log,
      checkpoint: options.checkpoint ?? passBy,
    }
    const settings = { namespace: scene.namespace, ...address, tokenSeconds }
    return (isOffered ? handoverAgent({ ...deps, settings }) : noHandover({ ...deps, settings })).on(joined)
  }
  const scene: AgentScene = await agentScene(t, plane, { ...options, parts: { alongside: part, ...options.parts } })
  for (const { resource, object } of spokeRbacManifests(serviceAccount(scene.namespace, handoverAccount)))
    await scene.home.of(resource).apply(object, { fieldManager: 'test', force: true })
  own = await options.spoke?.(scene.namespace)
  await letIn(scene)
  const config = () => scene.admin.of(ClusterConfig.resource, scene.cluster).find(scene.cluster)
  return Object.assign(scene, {
    address,
    async invite(isWanted = true) {
      const annotations = { [spokeAnnotations.reach]: isWanted ? 'true' : null }
      const body = { metadata: { annotations } }
      await scene.admin.of(ManagedCluster.resource).patch(scene.cluster, { type: 'merge', body })
    },
    async handed() {
      const found = await scene.admin.of(secrets, scene.cluster).find(handoverSecret)
      return found && Buffer.from(found.data?.['value'] ?? '', 'base64').toString()
    },
    config,
    reaches: (type: string, status: Condition['status'], reason?: string) =>
      eventually(
        `${type} is ${status} ${reason ?? ''}`,
        async () => findCondition((await config())?.status?.conditions as Condition[] | undefined, type),
        { until: (found) => found?.status === status && (reason === undefined || found.reason === reason) },
      ) as Promise<Condition>,
    async restart(offered: boolean) {
      await scene.stop()
      isOffered = offered
      scene.start()
      await isJoined(scene)
    },
  })
}

/** A client with what an agent handed over, and nothing else. */
export const handedClient = (t: TestScope, plane: ControlPlane, token: string): Kube =>
  kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
