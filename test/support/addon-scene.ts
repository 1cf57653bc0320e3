import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { AddonSettings } from '../../src/addons/agent/deps.ts'
import { defaultAddonSettings } from '../../src/addons/agent/deps.ts'
import { addonAgent } from '../../src/addons/agent/index.ts'
import type { AddonHubSettings } from '../../src/addons/hub/deps.ts'
import { addonsHub } from '../../src/addons/hub/index.ts'
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Metrics } from '../../src/core/metrics.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { JoinedHub } from '../../src/fleet/joined.ts'
import { addonNamespace } from '../../src/fleet/names.ts'
import { secrets } from '../../src/kube/kinds.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { AgentScene, AgentSceneOptions } from './agent-scene.ts'
import { agentScene, isJoined, joinHub, letIn } from './agent-scene.ts'
import { uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import type { HubScene, HubSceneOptions } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

type Registrations = NonNullable<NonNullable<ManagedClusterAddOn['status']>['registrations']>

/** A hub that lets clusters in and serves their add-ons. Needs a control plane of its own, as every hub does. */
export const addonHub = (
  t: TestScope,
  plane: ControlPlane,
  { addons, metrics = noMetrics, checkpoint = passBy, ...options }: HubSceneOptions & AddonHubOptions = {},
): Promise<HubScene> =>
  joinHub(t, plane, {
    ...options,
    parts: (deps) => [
      addonsHub({ ...deps, clusters: deps.view.clusters, metrics, checkpoint, settings: { labels: {}, ...addons } })
        .run,
      ...(options.parts?.(deps) ?? []),
    ],
  })

interface AddonHubOptions {
  addons?: Partial<AddonHubSettings>
  metrics?: Metrics
  checkpoint?: Checkpoint
}

export interface AddonSceneOptions extends AgentSceneOptions {
  addons?: Partial<AddonSettings>
  metrics?: Metrics
  /** How its cluster gets into the hub. Default: by an administrator, who approves its certificate request too. */
  letIn?(scene: AgentScene): Promise<void>
  /** What add-ons are told of the hub. Default: the truth. */
  seenAs?(joined: JoinedHub): JoinedHub
}

export interface AddonScene extends AgentScene {
  /** Makes an add-on on the hub with these registrations, as its own hub controller would; its name. */
  addon(registrations: Registrations, options?: AddonOptions): Promise<string>
  find(addon: string): Promise<Stored<ManagedClusterAddOn> | undefined>
  addonCondition(addon: string, type: string): Promise<Condition | undefined>
  /** Waits until the condition has this status (and reason). */
  reaches(addon: string, type: string, status: Condition['status'], reason?: string): Promise<Condition>
  /** A Secret on the managed cluster as plain texts; undefined when there is none. Default namespace: that of add-ons. */
  secretOf(name: string, namespace?: string): Promise<Record<string, string> | undefined>
  /** Replaces the registrations, as the add-on's hub controller would. */
  register(addon: string, registrations: Registrations): Promise<void>
  /** Stops the agent and starts it anew, with other settings for add-ons. */
  restart(other?: Partial<AddonSettings>): Promise<void>
}

export interface AddonOptions {
  name?: string
  /** Default: open-cluster-management-agent-addon. It has to be made by the test. */
  installNamespace?: string
}

/** An agent that has joined the hub and takes care of the add-ons of its cluster. */
export async function addonScene(
  t: TestScope,
  plane: ControlPlane,
  {
    addons,
    metrics = noMetrics,
    letIn: enter = letIn,
    seenAs = (joined) => joined,
    ...options
  }: AddonSceneOptions = {},
): Promise<AddonScene> {
  const home = options.home ?? plane
  const spoke = kubeClient(t, home.connection())
  let settings = addons
  /** As a new process has it: nothing is remembered from one start to the next. */
  const part = () =>
    addonAgent({
      management: spoke,
      spoke,
      clock: options.clock ?? systemClock,
      random: systemRandom,
      log: options.log ?? silentLog,
      metrics,
      checkpoint: options.checkpoint ?? passBy,
      settings: { ...defaultAddonSettings, namespace: scene.namespace, ...settings },
    })
  const alongside = (joined: JoinedHub) => part().on(seenAs(joined))
  const scene: AgentScene = await agentScene(t, plane, { ...options, parts: { alongside, ...options.parts } })
  await enter(scene)
  const on = () => scene.admin.of(ManagedClusterAddOn.resource, scene.cluster)
  const register = async (addon: string, registrations: Registrations) => {
    await on().patch(addon, { type: 'merge', body: { status: { registrations } } }, { subresource: 'status' })
  }
  const find = (addon: string) => on().find(addon)
  const addonCondition = async (addon: string, type: string) =>
    findCondition((await find(addon))?.status?.conditions as Condition[] | undefined, type)
  return Object.assign(scene, {
    async restart(other: Partial<AddonSettings> = {}) {
      await scene.stop()
      settings = { ...settings, ...other }
      scene.start()
      await isJoined(scene)
    },
    register,
    find,
    addonCondition,
    async addon(registrations: Registrations, { name = uniqueName('addon'), installNamespace }: AddonOptions = {}) {
      await on().create({ metadata: { name }, spec: {} })
      if (installNamespace !== undefined)
        await on().patch(
          name,
          { type: 'merge', body: { status: { namespace: installNamespace } } },
          { subresource: 'status' },
        )
      await register(name, registrations)
      return name
    },
    reaches: (addon: string, type: string, status: Condition['status'], reason?: string) =>
      eventually(`${type} of ${addon} is ${status}`, () => addonCondition(addon, type), {
        until: (found) => found?.status === status && (reason === undefined || found.reason === reason),
      }) as Promise<Condition>,
    async secretOf(name: string, namespace: string = addonNamespace) {
      const found: Stored<SecretObject> | undefined = await scene.home.of(secrets, namespace).find(name)
      if (!found) return undefined
      const plain = (value: string) => Buffer.from(value, 'base64').toString()
      return Object.fromEntries(Object.entries(found.data ?? {}).map(([key, value]) => [key, plain(value)]))
    },
  })
}
