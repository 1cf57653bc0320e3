import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import type { Connection } from '../connection.ts'
import { mustPass } from './checks.ts'
import { clusterChecks, outsideOfClusters, unsupportedByClusters } from './cluster-checks.ts'
import { authorityFile, trust } from './credential-files.ts'
import { credentialSource, usesPlugin } from './credentials.ts'
import { defined } from './defined.ts'
import { execCluster } from './exec-cluster.ts'
import type { ExecDeps } from './exec-plugin.ts'
import type { ReadFile } from './files.ts'
import { readTextFile } from './files.ts'
import { impersonationHeaders } from './headers.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { absoluteCluster } from './merge.ts'
import type { Selection } from './selection.ts'
import { selectContext } from './selection.ts'
import { outsideOfUsers, unsupportedByUsers, userChecks } from './user-checks.ts'

export interface ConnectionDeps extends ExecDeps {
  clock: Clock
  /** Default: from disk. */
  readFile?: ReadFile
  /** Told when credential files turn bad. Default: nobody. */
  log?: Log
}

export interface ConnectionOptions extends ConnectionDeps {
  /** What failures call the kubeconfig as a whole: its path, or `Secret default/west`. */
  source: string
  /** Default: the current context. */
  context?: string
  /**
   * Set for a kubeconfig that others may write, such as one in a Secret: it may then name no file of this machine
   * and no program to run. Default false.
   */
  selfContained?: boolean
}

/** A way to a cluster, with what else its context says. */
export interface FoundConnection {
  connection: Connection
  /** Of the context; `default` when it names none. */
  namespace: string
  /** Absent in a pod. */
  context?: string
  /** What the kubeconfig calls the cluster; absent in a pod. `aws eks update-kubeconfig` puts its ARN there. */
  cluster?: string
  /** The file or place it came from, for people. */
  source: string
}

/** The connection of one context. Files it names are read once, so that what is missing shows now; plugins are not run. */
export async function connectionOf(config: Kubeconfig, options: ConnectionOptions): Promise<FoundConnection> {
  const { source, readFile = readTextFile, log = silentLog } = options
  const selection = selectContext(config, options.context, source)
  checkSelection(selection, options.selfContained ?? false)

  const deps = { ...options, readFile, log }
  const cluster = absoluteCluster(selection.cluster)
  const authority =
    cluster.certificateAuthority === undefined ? undefined : authorityFile(cluster.certificateAuthority, deps)
  const clusterInfo = async () => execCluster(cluster, await authority?.current())
  const user = selection.user && credentialSource(selection.user, clusterInfo, deps)
  await authority?.current()
  if (selection.user && !usesPlugin(selection.user.value)) await user?.()

  const connection: Connection = {
    server: cluster.server.replace(/[?#].*$/s, '').replace(/\/+$/, ''),
    tls: trust(
      defined({
        ca: cluster.certificateAuthorityData,
        serverName: cluster.tlsServerName,
        insecureSkipVerify: cluster.insecureSkipTlsVerify,
      }),
      authority,
    ),
    ...defined({
      proxyUrl: cluster.proxyUrl,
      disableCompression: cluster.disableCompression,
      headers: selection.user && impersonationHeaders(selection.user.value),
    }),
    ...((user || authority) && {
      credentials: async (asked) => {
        const [credentials] = await Promise.all([user?.(asked), authority?.current({ refresh: asked?.refresh })])
        return credentials ?? {}
      },
    }),
  }
  const { namespace, context } = selection
  return { connection, namespace, context, cluster: selection.cluster.name, source }
}

function checkSelection({ cluster, user }: Selection, selfContained: boolean): void {
  mustPass(cluster, clusterChecks)
  mustPass(cluster, unsupportedByClusters, 'KUBECONFIG_UNSUPPORTED')
  if (selfContained) mustPass(cluster, outsideOfClusters, 'KUBECONFIG_NOT_SELF_CONTAINED')
  if (!user) return
  // First: nobody should mend what is refused anyway.
  if (selfContained) mustPass(user, outsideOfUsers, 'KUBECONFIG_NOT_SELF_CONTAINED')
  mustPass(user, unsupportedByUsers, 'KUBECONFIG_UNSUPPORTED')
  mustPass(user, userChecks)
}
