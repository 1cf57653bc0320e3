import { connect } from '../../kube/client/index.ts'
import { loadConnection } from '../../kube/kubeconfig/index.ts'
import { kubernetesSink } from './kubernetes.ts'
import type { SinkDeps } from './open.ts'
import type { SinkConfig } from './settings.ts'
import type { Sink } from './sink.ts'

export async function openKubernetesSink(config: SinkConfig, deps: SinkDeps): Promise<Sink> {
  const { clock, random, log, env, home, settings } = deps
  const { name, namespace = 'default', kubeconfig, context } = config
  const where = { ...(kubeconfig && { path: kubeconfig }), ...(context && { context }), ...(home && { home }) }
  const { connection } = await loadConnection({ ...where, env, clock, log })
  const kube = connect(connection, { clock, random, log, options: { mostAnswerBytes: 8 * 2 ** 20 } })
  const sink = kubernetesSink({ name, kube, namespace, instanceId: settings.instanceId })
  return { ...sink, close: () => kube.close() }
}
