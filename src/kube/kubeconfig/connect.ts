import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import type { Connection } from '../connection.ts'
import { at, mustPass } from './checks.ts'
import type { KubeconfigCluster } from './cluster.ts'
import { clusterOnWire } from './cluster.ts'
import { clusterChecks, unsupportedByClusters } from './cluster-checks.ts'
import { authorityFile, trust } from './credential-files.ts'
import { credentialSource, usesPlugin } from './credentials.ts'
import { defined } from './defined.ts'
import type { ExecDeps } from './exec-plugin.ts'
import { failures } from './failures.ts'
import { restOnWire } from './fields.ts'
import type { ReadFile } from './files.ts'
import { readTextFile } from './files.ts'
import { impersonationHeaders } from './headers.ts'
import type { Kubeconfig, Named } from './kubeconfig.ts'
import { absoluteCluster } from './merge.ts'
import type { Selection } from './selection.ts'
import { selectContext } from './selection.ts'
import type { KubeconfigUser } from './user.ts'
import { unsupportedByUsers, userChecks } from './user-checks.ts'

export interface ConnectDeps extends ExecDeps {
  clock: Clock
  /** Default: from disk. */
  readFile?: ReadFile
  /** Told when credential files turn bad. Default: nobody. */
  log?: Log
}

export interface ConnectOptions extends ConnectDeps {
  /** Default: the current context. */
  context?: string
  /**
   * Set for a kubeconfig that others may write, such as one in a Secret: it may then name no file of this machine
   * and no program to run. Default false.
   */
  selfContained?: boolean
}

/** A way to a cluster, with what else its context says. */
export interface Found {
  connection: Connection
  /** Of the context; `default` when it names none. */
  namespace: string
  /** Absent in a pod. */
  context?: string
  /** The file or place it came from, for people. */
  source: string
}

/** The connection of one context. Files it names are read once, so that what is missing shows now; plugins are not run. */
export async function connect(config: Kubeconfig, source: string, options: ConnectOptions): Promise<Found> {
  const { readFile = readTextFile, log = silentLog } = options
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
    ...defined({ proxyUrl: cluster.proxyUrl, headers: headersOf(selection.user) }),
    ...((user || authority) && {
      credentials: async (asked) => {
        const [credentials] = await Promise.all([user?.(asked), authority?.current({ refresh: asked?.refresh })])
        return credentials ?? {}
      },
    }),
  }
  return { connection, namespace: selection.namespace, context: selection.context, source }
}

function checkSelection({ cluster, user }: Selection, selfContained: boolean): void {
  mustPass(cluster, clusterChecks)
  mustPass(cluster, unsupportedByClusters, 'KUBECONFIG_UNSUPPORTED')
  if (user) mustPass(user, unsupportedByUsers, 'KUBECONFIG_UNSUPPORTED')
  if (user) mustPass(user, userChecks)
  if (!selfContained) return
  const { certificateAuthority } = cluster.value
  const { clientCertificate, clientKey, tokenFile, exec } = user?.value ?? {}
  if (certificateAuthority !== undefined)
    throw failures.KUBECONFIG_NOT_SELF_CONTAINED(at(cluster, 'certificate-authority'))
  const outside = { 'client-certificate': clientCertificate, 'client-key': clientKey, tokenFile, exec }
  for (const field of Object.keys(defined(outside))) {
    if (user) throw failures.KUBECONFIG_NOT_SELF_CONTAINED(at(user, field))
  }
}

// Connection types a header as one text, yet several groups are several headers of one name: Node's HTTP clients take
// a list for that. An API server does not split at commas.
function headersOf(user: Named<KubeconfigUser> | undefined): Record<string, string> | undefined {
  const headers = user && impersonationHeaders(user.value)
  return headers && (headers as Record<string, string>)
}

/** `spec.cluster` as plugins expect it: like the kubeconfig's, with the CA always as data. */
function execCluster(cluster: KubeconfigCluster, ca = cluster.certificateAuthorityData): Record<string, unknown> {
  const { certificateAuthority, rest, ...known } = cluster
  const wire = clusterOnWire({ ...known, ...defined({ certificateAuthorityData: ca }) })
  const config = extensionOf(cluster, 'client.authentication.k8s.io/exec')
  return defined({ ...wire, config })
}

function extensionOf({ rest }: KubeconfigCluster, name: string): unknown {
  const { extensions } = restOnWire(rest)
  const found = Array.isArray(extensions) && extensions.find((entry) => entry?.name === name)
  return found ? found.extension : undefined
}
