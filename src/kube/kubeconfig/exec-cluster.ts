import type { KubeconfigCluster } from './cluster.ts'
import { clusterOnWire } from './cluster.ts'
import { defined } from './defined.ts'
import { restOnWire } from './fields.ts'

/** What `clusters[].cluster.extensions` holds for plugins alone. */
const pluginExtension = 'client.authentication.k8s.io/exec'

/** `spec.cluster` as plugins expect it: like the kubeconfig's, with the CA always as data. */
export function execCluster(
  cluster: KubeconfigCluster,
  ca = cluster.certificateAuthorityData,
): Record<string, unknown> {
  const { certificateAuthority, rest, ...known } = cluster
  const wire = clusterOnWire({ ...known, ...defined({ certificateAuthorityData: ca }) })
  const config = extensionOf(cluster, pluginExtension)
  return defined({ ...wire, config })
}

function extensionOf({ rest }: KubeconfigCluster, name: string): unknown {
  const { extensions } = restOnWire(rest)
  const found = Array.isArray(extensions) && extensions.find((entry) => entry?.name === name)
  return found ? found.extension : undefined
}
