import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser, ReadFile } from '../../kube/kubeconfig/index.ts'
import {
  connectionOf,
  emptyKubeconfig,
  formatKubeconfig,
  kubeconfigFailures,
  selectContext,
  withAbsolutePaths,
  withContext,
} from '../../kube/kubeconfig/index.ts'
import { failures } from './failures.ts'

export interface KubeconfigWish {
  config: Kubeconfig
  /** What failures call it. */
  source: string
  /** Default: the current context. */
  context?: string | undefined
}

/**
 * One context of a kubeconfig as the hub can use it: the files it names are put into it, and all other contexts, which
 * may hold credentials for other clusters, are left out. Programs that fetch credentials are refused.
 */
export async function selfContained(
  { config, source, context }: KubeconfigWish,
  { readFile, clock }: { readFile: ReadFile; clock: Clock },
): Promise<{ kubeconfig: Secret; server: string }> {
  const chosen = selectContext(withAbsolutePaths(config), context, source, '--from-context')
  const { cluster, user, namespace } = chosen
  if (!user) throw failures.REACH_ANONYMOUS({ context: chosen.context })
  const plugin = pluginOf(user.value)
  if (plugin !== undefined) throw failures.REACH_PLUGIN({ context: chosen.context, what: plugin })
  const read = async (path: string): Promise<string> => {
    try {
      return await readFile(path)
    } catch (error) {
      const problem = (error as NodeJS.ErrnoException).code ?? 'unknown error'
      throw kubeconfigFailures.KUBECONFIG_UNREADABLE({ path, problem }, error)
    }
  }
  const made = withContext(emptyKubeconfig, {
    cluster: await clusterWithout(cluster.value, read),
    user: await userWithout(user.value, read),
    namespace,
    names: { cluster: cluster.name, user: user.name, context: chosen.context },
  })
  // Whatever else would be wrong with it is told now, and not by the hub later.
  const { connection } = await connectionOf(made, { source, clock, env: {}, selfContained: true })
  return { kubeconfig: formatKubeconfig(made), server: connection.server }
}

const pluginOf = ({ exec, authProvider }: KubeconfigUser): string | undefined =>
  exec ? `the program ${exec.command}` : authProvider && 'an auth-provider'

type Read = (path: string) => Promise<string>

async function clusterWithout({ certificateAuthority, ...cluster }: KubeconfigCluster, read: Read) {
  if (certificateAuthority === undefined) return cluster
  return { ...cluster, certificateAuthorityData: await read(certificateAuthority) }
}

async function userWithout({ clientCertificate, clientKey, tokenFile, ...user }: KubeconfigUser, read: Read) {
  return {
    ...user,
    ...(clientCertificate !== undefined && { clientCertificateData: await read(clientCertificate) }),
    ...(clientKey !== undefined && { clientKeyData: Secret.of(await read(clientKey)) }),
    ...(tokenFile !== undefined && { token: Secret.of((await read(tokenFile)).trim()) }),
  }
}
