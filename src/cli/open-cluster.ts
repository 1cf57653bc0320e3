import { homedir } from 'node:os'
import type { ClientOptions, KubeClient } from '../kube/client/index.ts'
import { connect } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import { loadConnection } from '../kube/kubeconfig/index.ts'
import type { CommandDeps } from './open-hub.ts'

export interface Opened {
  client: KubeClient
  connection: Connection
  /** Of the context. */
  namespace: string
  /** What the kubeconfig calls it; absent in a pod. */
  cluster?: string
}

/** The cluster that a kubeconfig names; without one, the usual places and the pod's own account. */
export async function openCluster(
  where: { kubeconfig?: string | undefined; context?: string | undefined },
  { clock, random, log }: CommandDeps,
  options: ClientOptions = {},
): Promise<Opened> {
  const { connection, namespace, cluster } = await loadConnection({
    ...(where.kubeconfig && { path: where.kubeconfig }),
    ...(where.context && { context: where.context }),
    env: process.env,
    home: homedir(),
    clock,
    log,
    ...(process.stdin.isTTY && { terminal: { say: (text: string) => void process.stderr.write(text) } }),
  })
  return {
    client: connect(connection, { clock, random, log, options }),
    connection,
    namespace,
    ...(cluster !== undefined && { cluster }),
  }
}
