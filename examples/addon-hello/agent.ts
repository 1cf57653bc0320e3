/** The agent side of an add-on: on the managed cluster, it works on the hub with the credential that it is given. */
import type { Clock } from '../../src/core/clock.ts'
import { sleep } from '../../src/core/clock.ts'
import { rfc3339 } from '../../src/core/conditions.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import type { Log } from '../../src/core/log.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import type { Connection } from '../../src/kube/connection.ts'
import { configMaps, leases } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { ReadFile } from '../../src/kube/kubeconfig/index.ts'
import { connectionOf, parseKubeconfig } from '../../src/kube/kubeconfig/index.ts'
import { addonName, greetingName } from './hub.ts'

export interface HelloAgentOptions {
  /** The cluster that the add-on runs on, and where it is installed there. */
  spoke: Kube
  namespace: string
  /** Reads what is in the Secret with the credential, by the names of its keys in the folder `/hub`. */
  readFile: ReadFile
  connect(connection: Connection): KubeClient
  clock: Clock
  log: Log
  /** Between two greetings, and two renewals of the lease. */
  everyMs: number
}

/** Renews its lease and greets the hub, again and again. What fails is tried again the next time. */
export const helloAgent =
  (options: HelloAgentOptions): Run =>
  async (signal) => {
    const { clock, log, everyMs } = options
    await using hub = hubOf(options)
    const greeting = async () => greet(options, await hub.current())
    const later = (err: unknown) => log.info({ err }, 'the add-on tries again later')
    while (!signal.aborted) {
      await renewLease(options).catch(later)
      await greeting().catch(later)
      await sleep(clock, everyMs, signal).catch(() => {})
    }
  }

/** By this lease the hub knows that the add-on is alive. It has to be renewed once a minute. */
async function renewLease({ spoke, namespace, clock }: HelloAgentOptions): Promise<void> {
  const renewTime = clock.now().toISOString().replace('Z', '000Z')
  const spec = { holderIdentity: addonName, leaseDurationSeconds: 60, renewTime }
  await spoke.of(leases, namespace).apply({ metadata: { name: addonName }, spec }, { fieldManager: addonName })
}

/** In the namespace of its cluster on the hub, which has the name of the cluster. */
async function greet({ readFile, clock }: HelloAgentOptions, hub: Kube): Promise<void> {
  const cluster = await readFile('/hub/cluster-name')
  const data = { greeting: `hello from ${cluster}`, at: rfc3339(clock.now()) }
  await hub.of(configMaps, cluster).apply({ metadata: { name: greetingName }, data }, { fieldManager: addonName })
}

/**
 * A client for the hub. It takes up a renewed token or certificate by itself: the kubeconfig names files, and they are
 * read again as time goes by and after each 401. Another kubeconfig (another hub or driver) needs another client.
 */
function hubOf({ readFile, connect, clock, log }: HelloAgentOptions) {
  const file = '/hub/kubeconfig'
  let known: { text: string; client: KubeClient } | undefined
  const close = async () => await known?.client.close()
  return {
    [Symbol.asyncDispose]: close,
    async current(): Promise<Kube> {
      const text = await readFile(file)
      if (known?.text === text) return known.client
      const config = parseKubeconfig(text, { file })
      const { connection } = await connectionOf(config, { clock, log, readFile, env: {}, source: file })
      await close()
      known = { text, client: connect(connection) }
      return known.client
    },
  }
}
