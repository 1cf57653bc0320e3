import type { Event } from 'kubernetes-types/core/v1.d.ts'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Metrics } from '../../src/core/metrics.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import type { Passes } from '../../src/core/pass.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { SpokeSettings, Spokes } from '../../src/fleet/spoke/index.ts'
import { createSpokes, defaultSpokeSettings, spokeView } from '../../src/fleet/spoke/index.ts'
import { spokeAnnotations } from '../../src/fleet/spoke/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { events, namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { ReachSettings } from '../../src/reach/hub/deps.ts'
import { defaultReachSettings } from '../../src/reach/hub/deps.ts'
import { reachHub } from '../../src/reach/hub/index.ts'
import { uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually, livesBy } from './eventually.ts'
import { installFleetKinds, runInTest } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

type Spec = ClusterConfig['spec']

export interface ReachSceneOptions {
  clock?: Clock
  log?: Log
  metrics?: Metrics
  spokes?: Partial<SpokeSettings>
  reach?: Partial<ReachSettings>
  /** What the hub may do is what this client may. Default: everything. */
  hub?: Kube
  checkpoint?: Checkpoint
  /** PEM of those whom the machine of the hub trusts. Default: as it has them. */
  roots?: () => readonly string[]
}

export interface ReachScene {
  readonly plane: ControlPlane
  readonly admin: KubeClient
  readonly namespace: string
  /** Changed in place, it counts at once: as a change of lanyard.yaml does. */
  readonly settings: SpokeSettings
  readonly spokes: Spokes
  readonly passes: Passes
  /** Makes a Secret of these texts, or replaces it. Its name. */
  secret(texts: Readonly<Record<string, string>>, name?: string): Promise<string>
  /** A reference to a Secret of the scene. */
  ref(name: string, key?: string): { name: string; namespace: string; key?: string }
  /** Makes a ClusterConfig; its name. */
  config(spec: Spec, name?: string): Promise<string>
  /** Makes a Secret with this kubeconfig (default: the admin's for the plane itself) and a ClusterConfig that names it. */
  byKubeconfig(kubeconfig?: string, name?: string): Promise<{ cluster: string; secret: string }>
  /** Makes an IdentityProvider, gone when the scene is; its name. */
  provider(spec: NonNullable<IdentityProvider['spec']>, name?: string): Promise<string>
  /** Changes a ClusterConfig by a merge patch. */
  change(name: string, body: { spec?: unknown; metadata?: unknown }): Promise<void>
  /** Deletes a ClusterConfig. */
  remove(name: string): Promise<void>
  removeSecret(name: string): Promise<void>
  /** Asks for a look, as `lanyard reach check` does, and waits for its answer. */
  asked(name: string, clock?: 'goes on' | 'stands'): Promise<Stored<ClusterConfig>>
  /** Events about a ClusterConfig, in no order. */
  events(name: string, reason?: string): Promise<Stored<Event>[]>
  find(name: string): Promise<Stored<ClusterConfig> | undefined>
  condition(name: string, type: string): Promise<Condition | undefined>
  /** Waits until the condition (default Ready) has this status and reason. */
  reaches(name: string, status: Condition['status'], reason?: string, type?: string): Promise<Condition>
  /** As `reaches`, and the clock stands meanwhile: nothing of it waits for a time. */
  reachesAtOnce: ReachScene['reaches']
  /** Ends the hub as an orderly end of its process would. */
  stop(): Promise<void>
  /** Starts it again: nothing is remembered. */
  start(): void
  /** Starts another one beside it, as a second replica would be that leads too. Ends it. */
  beside(): () => Promise<void>
}

/** A hub that looks after its ways into clusters. Needs a control plane of its own, as every hub does. */
export async function reachScene(
  t: TestScope,
  plane: ControlPlane,
  options: ReachSceneOptions = {},
): Promise<ReachScene> {
  const { clock = systemClock, log = silentLog, metrics = noMetrics } = options
  livesBy(t, clock)
  const admin = kubeClient(t, plane.connection())
  await installFleetKinds(admin)
  const kube = options.hub ?? admin
  const namespace = uniqueName('reach')
  await admin.of(namespaces).create({ metadata: { name: namespace } })
  const settings: SpokeSettings = { ...defaultSpokeSettings, ...options.spokes }
  const { checkpoint = passBy, roots } = options
  const common = { clock, random: systemRandom, log, metrics }
  const hub = () => {
    const view = spokeView(kube, common)
    const spokes = createSpokes({ ...common, kube, view, settings: () => settings, checkpoint, roots })
    const recorder = eventRecorder(kube, { ...common, component: 'lanyard-hub' })
    const reach = reachHub({
      ...{ ...common, kube, view, spokes, events: recorder, checkpoint },
      settings: () => ({ ...defaultReachSettings, ...options.reach }),
      egress: () => settings.egress,
    })
    return { spokes, passes: reach.passes, stop: runInTest(t, [view.run, spokes.run, reach.run]) }
  }
  let current = hub()
  const find = (name: string) => admin.of(ClusterConfig.resource, namespace).find(name)
  const condition = async (name: string, type = 'Ready') =>
    findCondition((await find(name))?.status?.conditions as Condition[] | undefined, type)
  const reaching =
    (pace: 'goes on' | 'stands'): ReachScene['reaches'] =>
    (name, status, reason, type = 'Ready') =>
      eventually(`${type} of ${name} is ${status} ${reason ?? ''}`, () => condition(name, type), {
        until: (found) => found?.status === status && (reason === undefined || found.reason === reason),
        clock: pace,
      }) as Promise<Condition>
  const secret: ReachScene['secret'] = async (texts, name = uniqueName('secret')) => {
    const encode = (text: string) => Buffer.from(text).toString('base64')
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encode(text)]))
    // One change, whatever was in it before: keys that are not named go.
    const manifest = { apiVersion: 'v1' as const, kind: 'Secret' as const, metadata: { name }, data }
    await admin.of(secrets, namespace).apply(manifest, { fieldManager: 'test', force: true })
    return name
  }
  const ref: ReachScene['ref'] = (name, key) => ({ name, namespace, ...(key !== undefined && { key }) })
  const config: ReachScene['config'] = async (spec, name = uniqueName('cluster')) => {
    await admin.of(ClusterConfig.resource, namespace).create({ metadata: { name }, spec })
    return name
  }
  const change: ReachScene['change'] = async (name, body) => {
    await admin.of(ClusterConfig.resource, namespace).patch(name, { type: 'merge', body })
  }
  return {
    plane,
    admin,
    namespace,
    settings,
    get spokes() {
      return current.spokes
    },
    get passes() {
      return current.passes
    },
    secret,
    ref,
    config,
    async byKubeconfig(kubeconfig = plane.kubeconfig(), name = uniqueName('cluster')) {
      const kept = await secret({ value: kubeconfig })
      return { cluster: await config({ kubeconfigSecretRef: ref(kept) }, name), secret: kept }
    },
    async provider(spec, name = uniqueName('provider')) {
      await admin.of(IdentityProvider.resource).create({ metadata: { name }, spec })
      teardown(t, async () => void (await admin.of(IdentityProvider.resource).delete(name)))
      return name
    },
    change,
    remove: async (name) => void (await admin.of(ClusterConfig.resource, namespace).delete(name)),
    removeSecret: async (name) => void (await admin.of(secrets, namespace).delete(name)),
    async asked(name, pace = 'goes on') {
      const at = `${clock.now().toISOString()} ${uniqueName('look')}`
      await change(name, { metadata: { annotations: { [spokeAnnotations.checkRequestedAt]: at } } })
      return eventually(`${name} was looked at`, () => find(name), {
        until: (found) => found?.status?.answeredCheck === at,
        clock: pace,
      })
    },
    async events(name, reason) {
      const { items } = await admin.of(events, namespace).list()
      return items.filter(
        ({ involvedObject, ...event }) =>
          involvedObject.name === name && (reason === undefined || event.reason === reason),
      )
    },
    find,
    condition,
    reaches: reaching('goes on'),
    reachesAtOnce: reaching('stands'),
    stop: () => current.stop(),
    start() {
      current = hub()
    },
    beside: () => hub().stop,
  }
}
