import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import type { KubeClient } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import type { Settings } from './settings.ts'

/** What every command gets from the machine it runs on. */
export interface CommandDeps {
  clock: Clock
  random: Random
  log: Log
  signal: AbortSignal
}

export interface Hub {
  client: KubeClient
  connection: Connection
  server: string
  namespace: string
}

/** The hub that the settings name. The client is loaded only by commands that get here. */
export async function openHub(settings: Pick<Settings, 'kubeconfig' | 'context' | 'namespace'>, deps: CommandDeps) {
  const { openCluster } = await import('./open-cluster.ts')
  const { client, connection, namespace } = await openCluster(settings, deps)
  const hub: Hub = { client, connection, server: connection.server, namespace: settings.namespace ?? namespace }
  return hub
}
