import type { ControlPlaneOptions } from './contract.ts'
import type { Paths } from './paths.ts'

export type Flags = Readonly<Record<string, string | number | boolean | undefined>>

/** `--name=value` for every flag that has a value. Later objects win. */
export const toArguments = (...flags: Flags[]): string[] =>
  Object.entries(Object.assign({}, ...flags) as Flags)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--${name}=${value}`)

const loopback = '127.0.0.1'

/**
 * etcd on sockets in its working folder, so that it needs neither ports nor certificates. It insists on `host:port`
 * even there and takes the whole for the file's name, hence the `:0`.
 */
export const etcdFlags = (paths: Paths): Flags => ({
  'data-dir': paths.etcdData,
  'listen-client-urls': 'unix://etcd.sock:0',
  'advertise-client-urls': 'unix://etcd.sock:0',
  'listen-peer-urls': 'unix://peer.sock:0',
  'initial-advertise-peer-urls': 'unix://peer.sock:0',
  'initial-cluster': 'default=unix://peer.sock:0',
  // A killed etcd loses nothing by it, only a machine that loses power does.
  'unsafe-no-fsync': true,
  'log-level': 'warn',
})

export function apiserverFlags(paths: Paths, port: number, options: ControlPlaneOptions): Flags {
  const { oidc } = options
  return {
    'etcd-servers': `unix://${paths.etcdSocket}`,
    'bind-address': loopback,
    'advertise-address': loopback,
    'secure-port': port,
    'tls-cert-file': paths.serverCert,
    'tls-private-key-file': paths.serverKey,
    'client-ca-file': paths.clientCaCert,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': paths.serviceAccountPublicKey,
    'service-account-signing-key-file': paths.serviceAccountKey,
    'service-cluster-ip-range': '10.0.0.0/24',
    // Its own address may not be a loopback address in the service's endpoints, and it would complain for ever.
    'endpoint-reconciler-type': 'none',
    'enable-bootstrap-token-auth': true,
    // As on the clusters of people: their own network plugins need it.
    'allow-privileged': true,
    'authorization-mode': options.authorizationConfig === undefined ? 'Node,RBAC' : undefined,
    'authorization-config': options.authorizationConfig && paths.authorizationConfig,
    'authentication-config': options.authenticationConfig && paths.authenticationConfig,
    'authentication-token-webhook-config-file': options.tokenWebhookConfig && paths.tokenWebhookConfig,
    'authentication-token-webhook-version': options.tokenWebhookConfig && 'v1',
    'admission-control-config-file': options.webhookUsers && paths.admissionConfig,
    'audit-policy-file': options.auditPolicy && paths.auditPolicy,
    'audit-log-path': options.auditPolicy && paths.auditLog,
    'oidc-issuer-url': oidc?.issuerUrl,
    'oidc-client-id': oidc?.clientId,
    'oidc-ca-file': oidc?.caPem && paths.oidcCa,
    // By default only RS256; an authentication configuration takes all.
    'oidc-signing-algs': oidc && 'RS256,ES256',
    'oidc-username-claim': oidc?.usernameClaim,
    'oidc-username-prefix': oidc?.usernamePrefix,
    'oidc-groups-claim': oidc?.groupsClaim,
    'oidc-groups-prefix': oidc?.groupsPrefix,
    'feature-gates': featureGates(options),
    profiling: false,
  }
}

export const controllerManagerFlags = (paths: Paths, port: number, options: ControlPlaneOptions): Flags => ({
  kubeconfig: paths.controllerManagerKubeconfig,
  'bind-address': loopback,
  'secure-port': port,
  'tls-cert-file': paths.serverCert,
  'tls-private-key-file': paths.serverKey,
  'authentication-skip-lookup': true,
  controllers: controllers(options),
  'service-account-private-key-file': paths.serviceAccountKey,
  'root-ca-file': paths.serverCaCert,
  'cluster-signing-cert-file': paths.clientCaCert,
  'cluster-signing-key-file': paths.clientCaKey,
  'use-service-account-credentials': true,
  'leader-elect': false,
  // The defaults are made for a busy cluster; a test would wait for them.
  'kube-api-qps': 500,
  'kube-api-burst': 1000,
  'concurrent-namespace-syncs': 50,
  'feature-gates': featureGates(options),
  profiling: false,
})

const controllers = ({ controllers = true }: ControlPlaneOptions): string =>
  typeof controllers === 'boolean' ? '*,bootstrap-signer-controller,token-cleaner-controller' : controllers.join(',')

const featureGates = ({ featureGates = {} }: ControlPlaneOptions): string | undefined =>
  Object.entries(featureGates)
    .map(([name, on]) => `${name}=${on}`)
    .join(',') || undefined
