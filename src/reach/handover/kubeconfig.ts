import type { Secret } from '../../core/secret.ts'
import { handoverAccount } from '../../fleet/spoke/names.ts'
import {
  emptyKubeconfig,
  formatKubeconfig,
  parseKubeconfig,
  selectContext,
  withContext,
} from '../../kube/kubeconfig/index.ts'

/** How a cluster is reached from its hub, and who vouches for it. */
export interface ClusterAddress {
  server: string
  /** PEM. Undefined: the roots that the system of the hub trusts. */
  caPem: string | undefined
  /** Of its certificate, where that is not the host of the address. */
  tlsServerName?: string | undefined
}

/** With everything in it: on the hub there are no files of this cluster. */
export const formatHandover = (
  cluster: string,
  { server, caPem, tlsServerName }: ClusterAddress,
  token: Secret,
): Secret =>
  formatKubeconfig(
    withContext(emptyKubeconfig, {
      cluster: {
        server,
        ...(caPem !== undefined && { certificateAuthorityData: caPem }),
        ...(tlsServerName !== undefined && { tlsServerName }),
      },
      user: { token },
      names: { cluster, user: handoverAccount, context: cluster },
    }),
  )

/** Undefined for what no agent wrote. */
export function tokenIn(kubeconfig: Secret): Secret | undefined {
  try {
    const config = parseKubeconfig(kubeconfig.reveal(), { name: 'what was handed over' })
    return selectContext(config, undefined, 'it').user?.value.token
  } catch {
    return undefined
  }
}
