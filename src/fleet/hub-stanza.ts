import { createHash } from 'node:crypto'
import { ownDomain } from '../core/own-domain.ts'
import type { Secret } from '../core/secret.ts'
import type { Connection } from '../kube/connection.ts'
import type { Kubeconfig, KubeconfigUser, ReadFile } from '../kube/kubeconfig/index.ts'
import {
  emptyKubeconfig,
  formatKubeconfig,
  parseKubeconfig,
  selectContext,
  withAbsolutePaths,
  withContext,
} from '../kube/kubeconfig/index.ts'
import type { CertifiedIdentity } from './csr/issuance.ts'

/** How a hub is reached: what the bootstrap kubeconfig says of it and the agent's own one repeats. */
export interface HubStanza {
  /** Of the cluster in the kubeconfig. */
  readonly name: string
  readonly server: string
  /** PEM; a CA that was in a file is here as its content. */
  readonly ca?: string
  readonly serverName?: string
  readonly proxyUrl?: Secret
  readonly disableCompression?: boolean
}

/** The hub of the current context. A CA in a file is read. */
export async function stanzaOf(config: Kubeconfig, source: string, readFile: ReadFile): Promise<HubStanza> {
  const { cluster } = selectContext(withAbsolutePaths(config), undefined, source)
  const { server, certificateAuthority, certificateAuthorityData, tlsServerName, ...rest } = cluster.value
  const ca =
    certificateAuthorityData ?? (certificateAuthority === undefined ? undefined : await readFile(certificateAuthority))
  return {
    name: cluster.name,
    server,
    ...(ca !== undefined && { ca }),
    ...(tlsServerName !== undefined && { serverName: tlsServerName }),
    ...onTheWay(rest),
  }
}

/** What is the same in a kubeconfig, in a stanza and in a connection. */
export const onTheWay = ({ proxyUrl, disableCompression }: Pick<HubStanza, 'proxyUrl' | 'disableCompression'>) => ({
  ...(proxyUrl && { proxyUrl }),
  ...(disableCompression && { disableCompression }),
})

/** A change of any of these means that the certificate at hand is not for this hub. */
export const isSameHub = (a: HubStanza, b: HubStanza): boolean =>
  a.name === b.name &&
  a.server === b.server &&
  a.ca?.trim() === b.ca?.trim() &&
  a.serverName === b.serverName &&
  a.proxyUrl?.reveal() === b.proxyUrl?.reveal()

/** On a Secret: which hub its credential is of. */
export const hubAnnotation = `${ownDomain}/hub`

/** Tells hubs apart by their CA: a hub may get another address or proxy, and what it issued stays good. */
export const hubIdentity = ({ ca, server }: HubStanza): string =>
  createHash('sha256')
    .update(ca?.trim() ?? server)
    .digest('hex')
    .slice(0, 32)

/** What proves who its holder is: files beside a kubeconfig. */
export const kubeconfigUsers = {
  certificate: { clientCertificate: 'tls.crt', clientKey: 'tls.key' },
  token: { tokenFile: 'token' },
} as const

/** A kubeconfig for the hub, to be kept beside the files that it names. */
export const formatHubKubeconfig = (hub: HubStanza, user: keyof typeof kubeconfigUsers = 'certificate'): string =>
  hubKubeconfig(hub, kubeconfigUsers[user]).reveal()

/** The way to the hub, for whoever proves who they are by `user`. */
export function hubKubeconfig({ name, server, ca, serverName, ...rest }: HubStanza, user: KubeconfigUser): Secret {
  const config = withContext(emptyKubeconfig, {
    cluster: {
      server,
      ...(ca !== undefined && { certificateAuthorityData: ca }),
      ...(serverName !== undefined && { tlsServerName: serverName }),
      ...onTheWay(rest),
    },
    user,
    namespace: 'configuration',
    names: { cluster: name },
  })
  return formatKubeconfig(config)
}

/** Undefined for what no agent wrote. */
export function readHubKubeconfig(text: string): HubStanza | undefined {
  try {
    const { cluster } = selectContext(parseKubeconfig(text, { name: 'the kept kubeconfig' }), undefined, 'it')
    const { server, certificateAuthorityData, tlsServerName, ...rest } = cluster.value
    if (server === '') return undefined
    return {
      name: cluster.name,
      server,
      ...(certificateAuthorityData !== undefined && { ca: certificateAuthorityData }),
      ...(tlsServerName !== undefined && { serverName: tlsServerName }),
      ...onTheWay(rest),
    }
  } catch {
    return undefined
  }
}

/** As the agent itself; `identity` is asked before each call, so that a renewed certificate is used at once. */
export const hubConnection = (
  { server, ca, serverName, ...rest }: HubStanza,
  identity: () => CertifiedIdentity | undefined,
): Connection =>
  throughProxy({
    server: server.replace(/\/+$/, ''),
    tls: { ...(ca !== undefined && { ca }), ...(serverName !== undefined && { serverName }) },
    ...onTheWay(rest),
    credentials: async () => {
      const held = identity()
      return held ? { certificate: { certPem: held.certPem, keyPem: held.keyPem } } : {}
    },
  })

/** A kubeconfig has one CA for the hub and for an https proxy on the way to it, as client-go reads it. */
export const throughProxy = (connection: Connection): Connection =>
  connection.proxyUrl && connection.tls.ca !== undefined
    ? { ...connection, proxyCa: connection.proxyCa ?? connection.tls.ca }
    : connection
