import type { Secret } from '../../core/secret.ts'
import { defined } from './defined.ts'
import type { Fields, Rest } from './fields.ts'
import { restOnWire } from './fields.ts'

/** The `cluster` of an entry in `clusters`. */
export interface KubeconfigCluster {
  server: string
  tlsServerName?: string
  insecureSkipTlsVerify?: boolean
  /** Path, relative to the folder of the kubeconfig. */
  certificateAuthority?: string
  /** PEM, not base64. */
  certificateAuthorityData?: string
  /** Secret, because it may hold a password. */
  proxyUrl?: Secret
  /** Lists come as they are. Passed on to exec plugins, too. */
  disableCompression?: boolean
  rest?: Rest
}

export const readCluster = (fields: Fields): KubeconfigCluster =>
  defined({
    server: fields.text('server') ?? '',
    tlsServerName: fields.text('tls-server-name'),
    insecureSkipTlsVerify: fields.flag('insecure-skip-tls-verify'),
    certificateAuthority: fields.text('certificate-authority'),
    certificateAuthorityData: fields.base64('certificate-authority-data'),
    proxyUrl: fields.secret('proxy-url'),
    disableCompression: fields.flag('disable-compression'),
    rest: fields.rest(),
  })

export const clusterOnWire = (cluster: KubeconfigCluster): Record<string, unknown> =>
  defined({
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify,
    'certificate-authority': cluster.certificateAuthority,
    'certificate-authority-data': base64(cluster.certificateAuthorityData),
    'proxy-url': cluster.proxyUrl?.reveal(),
    'disable-compression': cluster.disableCompression,
    ...restOnWire(cluster.rest),
  })

export const base64 = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : Buffer.from(text).toString('base64')
