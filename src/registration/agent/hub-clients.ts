import type { HubStanza } from '../../fleet/hub-stanza.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Bootstrap } from './bootstrap-sources.ts'
import { failures } from './failures.ts'

export interface HubClientsOptions {
  hub: HubStanza
  connect(connection: Connection): KubeClient
  bootstrap: Bootstrap | undefined
  /** As the agent itself. */
  connection: Connection
}

/** The two clients for a hub: as whoever may ask to be let in, and as the agent itself. */
export interface HubClients {
  asBootstrap(): Promise<Kube>
  asMyself(): Kube
  /** From now on, or undefined where there is none any more. */
  useBootstrap(bootstrap: Bootstrap | undefined): void
  close(): Promise<void>
}

export function hubClients({ hub, connect, connection, ...options }: HubClientsOptions): HubClients {
  let bootstrap = options.bootstrap
  let open: { fingerprint: string; kube: KubeClient } | undefined
  let own: KubeClient | undefined
  return {
    async asBootstrap() {
      if (!bootstrap) throw failures.AGENT_BOOTSTRAP_MISSING({ looked: `none leads to ${hub.server} any more` })
      const { fingerprint } = bootstrap
      if (open?.fingerprint !== fingerprint) {
        const old = open
        open = { fingerprint, kube: connect(bootstrap.connection) }
        await old?.kube.close()
      }
      return open.kube
    },
    asMyself() {
      own ??= connect(connection)
      return own
    },
    useBootstrap(next) {
      bootstrap = next
    },
    async close() {
      await Promise.all([open?.kube.close(), own?.close()])
    },
  }
}
