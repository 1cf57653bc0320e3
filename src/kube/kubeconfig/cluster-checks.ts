import type { Check } from './checks.ts'
import { violation } from './checks.ts'
import type { KubeconfigCluster } from './cluster.ts'
import { holdsCertificate } from './pem.ts'

type ClusterCheck = Check<KubeconfigCluster>

const serverIsMissing: ClusterCheck = ({ server }) =>
  server === '' ? violation('server', 'is missing; it is the URL of the API server') : undefined

const serverIsNoHttpsUrl: ClusterCheck = ({ server }) => {
  const url = URL.parse(server)
  if (url?.protocol !== 'https:') return violation('server', 'must be an https URL, as https://HOST:PORT')
  return url.username || url.password ? violation('server', 'must not hold a user or a password') : undefined
}

const authorityIsGivenTwice: ClusterCheck = ({ certificateAuthority, certificateAuthorityData }) =>
  certificateAuthority !== undefined && certificateAuthorityData !== undefined
    ? violation('certificate-authority', 'must not be given together with certificate-authority-data')
    : undefined

// As client-go: whoever wrote both would believe the server to be checked.
const authorityIsNotUsed: ClusterCheck = (cluster) =>
  cluster.insecureSkipTlsVerify && (cluster.certificateAuthority ?? cluster.certificateAuthorityData) !== undefined
    ? violation('insecure-skip-tls-verify', 'must not be true when a certificate authority is given')
    : undefined

const authorityDataIsNoCertificate: ClusterCheck = ({ certificateAuthorityData }) =>
  certificateAuthorityData !== undefined && !holdsCertificate(certificateAuthorityData)
    ? violation('certificate-authority-data', 'holds no PEM certificate')
    : undefined

const proxyIsNoUrl: ClusterCheck = ({ proxyUrl }) =>
  proxyUrl && !URL.parse(proxyUrl.reveal())?.host
    ? violation('proxy-url', 'must be a URL, as http://HOST:PORT')
    : undefined

export const clusterChecks: readonly ClusterCheck[] = [
  serverIsMissing,
  serverIsNoHttpsUrl,
  authorityIsGivenTwice,
  authorityIsNotUsed,
  authorityDataIsNoCertificate,
  proxyIsNoUrl,
]

const proxyIsNoHttpProxy: ClusterCheck = ({ proxyUrl }) => {
  const protocol = proxyUrl && URL.parse(proxyUrl.reveal())?.protocol
  if (protocol === undefined || protocol === 'http:' || protocol === 'https:') return undefined
  return violation('proxy-url', `${protocol.slice(0, -1)} proxies are not supported; use an http or https proxy`)
}

export const unsupportedByClusters: readonly ClusterCheck[] = [proxyIsNoHttpProxy]

const authorityIsAFile: ClusterCheck = ({ certificateAuthority }) =>
  certificateAuthority === undefined
    ? undefined
    : violation('certificate-authority', 'this kubeconfig may name no files; use certificate-authority-data')

export const outsideOfClusters: readonly ClusterCheck[] = [authorityIsAFile]
