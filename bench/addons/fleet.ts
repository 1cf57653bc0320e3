import { defaultAddonSettings } from '../../src/addons/agent/deps.ts'
import { addonAgent } from '../../src/addons/agent/index.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { addonSecrets } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { HubScene } from '../join/hub-scene.ts'
import type { SimulatedAgent } from '../join/simulated-agents.ts'

/** The add-on part of a real agent. All have one control plane for theirs, a namespace each: what is measured is the hub. */
export interface BenchCluster {
  readonly cluster: string
  /** The account that the token in the Secret of an add-on is of; undefined while there is none. */
  accountOf(addon: string): Promise<string | undefined>
  /** As somebody who deletes the Secrets of all its add-ons. */
  loseSecrets(addons: readonly string[]): Promise<void>
  stop(): Promise<void>
}

export async function startCluster(
  scene: HubScene,
  spoke: Kube,
  agent: SimulatedAgent,
  certPem: string,
): Promise<BenchCluster> {
  const { plane, connectAs } = scene
  const { cluster, keyPem } = agent
  const kube: KubeClient = connectAs(plane.connection({ certificate: { certPem, keyPem } }))
  await spoke.of(namespaces).create({ metadata: { name: cluster } })
  const { server, tls } = plane.connection()
  const part = addonAgent({
    management: spoke,
    spoke,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noMetrics,
    checkpoint: passBy,
    settings: { ...defaultAddonSettings, namespace: cluster, kubeClientDriver: 'token' },
  })
  const stanza = { name: 'hub', server, ...(tls.ca !== undefined && { ca: tls.ca }) }
  const ending = new AbortController()
  const over = part
    .on({ cluster, agent: 'simulated', kube, stanza })(ending.signal)
    .catch(() => {})
  const kept = spoke.of(secrets, cluster)
  return {
    cluster,
    async accountOf(addon) {
      const uid = (await kept.find(addonSecrets.kubeClient(addon)))?.data?.['service-account-uid']
      return uid === undefined ? undefined : Buffer.from(uid, 'base64').toString()
    },
    async loseSecrets(addons) {
      for (const addon of addons) await kept.delete(addonSecrets.kubeClient(addon))
    },
    async stop() {
      ending.abort()
      await over
      await kube.close()
    },
  }
}
