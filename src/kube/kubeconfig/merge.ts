import { isAbsolute, join, sep } from 'node:path'
import type { KubeconfigCluster } from './cluster.ts'
import { defined } from './defined.ts'
import type { Kubeconfig, KubeconfigContext, Named } from './kubeconfig.ts'
import { emptyKubeconfig } from './kubeconfig.ts'
import type { KubeconfigUser } from './user.ts'

/** Several kubeconfigs as one, by kubectl's rules: the first to use a name or to set a value wins, whole. */
export const mergeKubeconfigs = (configs: readonly Kubeconfig[]): Kubeconfig =>
  configs.reduce(
    (merged, next) =>
      defined({
        clusters: firstOfEachName(merged.clusters, next.clusters),
        users: firstOfEachName(merged.users, next.users),
        contexts: firstOfEachName(merged.contexts, next.contexts),
        currentContext: merged.currentContext ?? next.currentContext,
        rest: merged.rest ?? next.rest,
      }),
    emptyKubeconfig,
  )

export interface ContextParts {
  cluster: KubeconfigCluster
  /** Absent: anonymous. */
  user?: KubeconfigUser
  namespace?: string
  /** Defaults: `default-cluster`, `default-auth`, `default-context`, the names that other agents of the field write. */
  names?: { cluster?: string; user?: string; context?: string }
}

/**
 * A kubeconfig with this context in it and chosen. Entries of the same names are replaced, everything else stays.
 *
 * @example
 * const hub = withContext(emptyKubeconfig, { cluster: { server }, user: { clientCertificate: 'tls.crt', clientKey: 'tls.key' } })
 * const text = formatKubeconfig(hub)
 */
export function withContext(config: Kubeconfig, parts: ContextParts): Kubeconfig {
  const { cluster = 'default-cluster', user = 'default-auth', context = 'default-context' } = parts.names ?? {}
  const value: KubeconfigContext = defined({
    cluster,
    user: parts.user ? user : undefined,
    namespace: parts.namespace,
  })
  return {
    ...config,
    clusters: replaced(config.clusters, { name: cluster, value: parts.cluster }),
    users: parts.user ? replaced(config.users, { name: user, value: parts.user }) : config.users,
    contexts: replaced(config.contexts, { name: context, value }),
    currentContext: context,
  }
}

/**
 * Paths made absolute, so that entries can be copied into a kubeconfig in another place: all of them, or those that
 * were not read in the folder `unlessIn`. Entries that came from no file stay as they are.
 */
export function withAbsolutePaths(config: Kubeconfig, unlessIn?: string): Kubeconfig {
  const moved = <T>(entry: Named<T>, absolute: (entry: Named<T>) => T): Named<T> =>
    entry.origin?.folder === unlessIn ? entry : { ...entry, value: absolute(entry) }
  return {
    ...config,
    clusters: config.clusters.map((entry) => moved(entry, absoluteCluster)),
    users: config.users.map((entry) => moved(entry, absoluteUser)),
  }
}

export const absoluteCluster = ({ value, origin }: Named<KubeconfigCluster>): KubeconfigCluster =>
  defined({ ...value, certificateAuthority: absolute(value.certificateAuthority, origin?.folder) })

export const absoluteUser = ({ value, origin }: Named<KubeconfigUser>): KubeconfigUser =>
  defined({
    ...value,
    clientCertificate: absolute(value.clientCertificate, origin?.folder),
    clientKey: absolute(value.clientKey, origin?.folder),
    tokenFile: absolute(value.tokenFile, origin?.folder),
    exec: value.exec && { ...value.exec, command: absoluteCommand(value.exec.command, origin?.folder) },
  })

/** A bare name is looked up in PATH and stays one. */
const absoluteCommand = (command: string, folder: string | undefined): string =>
  command.includes('/') || command.includes(sep) ? absolute(command, folder) : command

function absolute(path: string, folder: string | undefined): string
function absolute(path: string | undefined, folder: string | undefined): string | undefined
function absolute(path: string | undefined, folder: string | undefined): string | undefined {
  return path === undefined || folder === undefined || isAbsolute(path) ? path : join(folder, path)
}

const firstOfEachName = <T>(merged: readonly Named<T>[], next: readonly Named<T>[]): Named<T>[] => [
  ...merged,
  ...next.filter(({ name }) => !merged.some((entry) => entry.name === name)),
]

/** In its old place, so that a file that is written again differs only where it has to. */
const replaced = <T>(entries: readonly Named<T>[], entry: Named<T>): Named<T>[] =>
  entries.some(({ name }) => name === entry.name)
    ? entries.map((old) => (old.name === entry.name ? entry : old))
    : [...entries, entry]
