import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { createMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { SpokeSettings, Spokes, SpokeView } from '../../src/fleet/spoke/index.ts'
import { createSpokes, defaultSpokeSettings, spokeView } from '../../src/fleet/spoke/index.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { namespaces, secrets } from '../../src/kube/kinds.ts'
import { aSecret, uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually, livesBy } from './eventually.ts'
import { installFleetKinds, runInTest } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { whoAmI } from './who-am-i.ts'

type Spec = ClusterConfig['spec']

export interface SpokeScene {
  readonly admin: KubeClient
  readonly namespace: string
  readonly spokes: Spokes
  readonly view: SpokeView
  /** Changed in place, it counts at once: as a change of lanyard.yaml does. */
  readonly settings: SpokeSettings
  /** Makes a Secret of these texts, or changes it. Its name. */
  secret(texts: Readonly<Record<string, string>>, name?: string): Promise<string>
  ref(name: string, key?: string): { name: string; namespace: string; key?: string }
  /** Makes a ClusterConfig that is seen by the hub already; its name. */
  config(spec: Spec, name?: string): Promise<string>
  /** A ClusterConfig by this kubeconfig. */
  byKubeconfig(text: string, spec?: Partial<Spec>): Promise<{ cluster: string; secret: string }>
  /** Whom the cluster takes the hub for. */
  userAt(cluster: string): Promise<string>
  /** Of `lanyard_spoke_…`, with its labels: `opens_total{result="opened"}`. */
  count(metric: string): Promise<number>
}

export interface SpokeSceneOptions {
  clock?: Clock
  settings?: Partial<SpokeSettings>
  /** In place of the scene's own. */
  settingsNow?: () => SpokeSettings
}

/** The connections of a hub to its clusters, without anything that makes use of them by itself. */
export async function spokeScene(
  t: TestScope,
  plane: ControlPlane,
  options: SpokeSceneOptions = {},
): Promise<SpokeScene> {
  const { clock = systemClock } = options
  livesBy(t, clock)
  const admin = kubeClient(t, plane.connection())
  await installFleetKinds(admin)
  const namespace = uniqueName('spokes')
  await admin.of(namespaces).create({ metadata: { name: namespace } })
  const settings: SpokeSettings = { ...defaultSpokeSettings, ...options.settings }
  const metrics = await createMetrics()
  const common = { clock, random: systemRandom, log: silentLog, metrics }
  const view = spokeView(admin, common)
  const spokes = createSpokes({ ...common, kube: admin, view, settings: options.settingsNow ?? (() => settings) })
  runInTest(t, [view.run, spokes.run])
  const ref: SpokeScene['ref'] = (name, key) => ({ name, namespace, ...(key !== undefined && { key }) })
  const secret: SpokeScene['secret'] = async (texts, name = uniqueName('secret')) => {
    const { data } = aSecret(name, texts)
    if (await admin.of(secrets, namespace).find(name))
      await admin.of(secrets, namespace).patch(name, { type: 'merge', body: { data } })
    else await admin.of(secrets, namespace).create({ metadata: { name }, data: data ?? {} })
    return name
  }
  const config: SpokeScene['config'] = async (spec, name = uniqueName('cluster')) => {
    await admin.of(ClusterConfig.resource, namespace).create({ metadata: { name }, spec })
    // Not `until`: a list that failed because its kind is new is tried again by a clock that only `eventually` moves.
    await eventually('the hub sees it', () => view.configs.isSynced && view.configs.byIndex('name', name).length > 0)
    return name
  }
  return {
    ...{ admin, namespace, spokes, view, settings, secret, ref, config },
    async byKubeconfig(text, spec = {}) {
      const name = await secret({ value: text })
      return { secret: name, cluster: await config({ ...spec, kubeconfigSecretRef: ref(name) }) }
    },
    userAt: async (cluster) => (await whoAmI((await spokes.open(cluster)).kube)).username,
    async count(metric) {
      const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`lanyard_spoke_${metric} `))
      return Number(line?.split(' ').at(-1))
    },
  }
}
