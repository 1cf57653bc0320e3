import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { CallOptions, Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { failures } from '../operations/failures.ts'

/** All of them, or those of a namespace; by name. */
export async function readClusterConfigs(
  kube: Kube,
  { namespace, ...options }: CallOptions & { namespace?: string | undefined },
): Promise<Stored<ClusterConfig>[]> {
  try {
    const { items } = await kube.of(ClusterConfig.resource, namespace).list(options)
    return items.toSorted(
      (a, b) =>
        a.metadata.name.localeCompare(b.metadata.name) ||
        String(a.metadata.namespace).localeCompare(String(b.metadata.namespace)),
    )
  } catch (error) {
    if (isNotFound(error)) throw failures.REACH_NOT_INSTALLED(undefined, error)
    throw error
  }
}

/** The one of this name, wherever it is. Throws where there is none, and where there are several. */
export async function findClusterConfig(
  kube: Kube,
  name: string,
  options: CallOptions & { namespace?: string | undefined },
): Promise<Stored<ClusterConfig>> {
  const found = (await readClusterConfigs(kube, options)).filter(({ metadata }) => metadata.name === name)
  const [one, ...others] = found
  if (!one) throw failures.REACH_UNKNOWN({ name })
  if (others.length > 0)
    throw failures.REACH_SEVERAL({ name, namespaces: found.map(({ metadata }) => metadata.namespace).join(', ') })
  return one
}
