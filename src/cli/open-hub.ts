import { homedir } from 'node:os'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import type { KubeClient } from '../kube/client/index.ts'
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
  server: string
  namespace: string
}

/** The hub that the settings name. */
export const openHub = (settings: Settings, deps: CommandDeps): Promise<Hub> =>
  connectTo(
    {
      ...(settings.kubeconfig && { path: settings.kubeconfig }),
      ...(settings.context && { context: settings.context }),
    },
    settings.namespace,
    deps,
  )

/** The client is loaded only by commands that get here. */
export async function connectTo(
  where: { path?: string; context?: string },
  asked: string | undefined,
  { clock, random, log }: CommandDeps,
): Promise<Hub> {
  const [{ loadConnection }, { connect }] = await Promise.all([
    import('../kube/kubeconfig/index.ts'),
    import('../kube/client/index.ts'),
  ])
  const { connection, namespace } = await loadConnection({
    ...where,
    env: process.env,
    home: homedir(),
    clock,
    log,
    ...(process.stdin.isTTY && { terminal: { say: (text: string) => void process.stderr.write(text) } }),
  })
  const client = connect(connection, { clock, random, log })
  return { client, server: connection.server, namespace: asked ?? namespace ?? 'default' }
}
