import type { KubeconfigCluster } from './cluster.ts'
import { defined } from './defined.ts'
import { failures } from './failures.ts'
import type { Kubeconfig, Named, Origin } from './kubeconfig.ts'
import type { KubeconfigUser } from './user.ts'

/** A context with what it names. */
export interface Selection {
  context: string
  namespace: string
  cluster: Named<KubeconfigCluster>
  user?: Named<KubeconfigUser>
}

/** The origin of an entry that was built in memory. */
export const originOf = ({ origin, name }: Named<unknown>): Origin =>
  origin ?? { source: 'the kubeconfig', field: `"${name}"` }

/**
 * The context of that name, else the current one. Only what it names is looked at.
 * @param flag by which people choose one
 */
export function selectContext(
  config: Kubeconfig,
  wanted: string | undefined,
  source: string,
  flag = '--context',
): Selection {
  const contexts = `there is ${config.contexts.map(({ name }) => name).join(', ') || 'none in it'}`
  const name = wanted ?? config.currentContext
  if (name === undefined) throw failures.KUBECONFIG_NO_CONTEXT({ source, flag, contexts })
  const entry = config.contexts.find((context) => context.name === name)
  if (!entry) throw failures.KUBECONFIG_UNKNOWN_CONTEXT({ source, context: name, flag, contexts })

  const { cluster, user, namespace = 'default' } = entry.value
  const origin = originOf(entry)
  const invalid = (field: string, problem: string) =>
    failures.KUBECONFIG_INVALID({ source: origin.source, field: `${origin.field}.${field}`, problem })

  if (cluster === '') throw invalid('cluster', 'is missing')
  const clusterEntry = config.clusters.find((other) => other.name === cluster)
  if (!clusterEntry) throw invalid('cluster', `no cluster named "${cluster}"`)
  const userEntry = config.users.find((other) => other.name === user)
  if (user !== undefined && !userEntry) throw invalid('user', `no user named "${user}"`)
  if (!isDnsLabel(namespace)) throw invalid('namespace', 'is not a name that a namespace can have')
  return defined({ context: name, namespace, cluster: clusterEntry, user: userEntry })
}

const isDnsLabel = (text: string): boolean => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)
