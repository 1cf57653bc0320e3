import type { EgressRules } from '../../core/egress.ts'
import { everywhere } from '../../core/egress.ts'
import type { Failure } from '../../core/failure.ts'
import type { Secret } from '../../core/secret.ts'
import type { Kube } from '../../kube/kube.ts'

/** A value in a Secret of the hub. */
export interface SecretKey {
  readonly namespace: string
  readonly name: string
  /** Looked at in this order. All but the first are for the sake of old Secrets. */
  readonly keys: readonly string[]
  /** Of the ClusterConfig or IdentityProvider, for messages: `spec.oidcAuth.clientSecretRef`. */
  readonly field: string
}

export interface SecretValue {
  readonly text: Secret
  /** The key it was found under. */
  readonly key: string
}

/** How the hub gets into a cluster, decided from the ClusterConfig and its IdentityProvider alone. */
export type Way = KubeconfigWay | OidcWay

export interface KubeconfigWay {
  readonly by: 'Kubeconfig'
  readonly kubeconfig: SecretKey
}

export interface OidcWay {
  readonly by: 'OIDC'
  readonly server: string
  readonly issuer: string
  /** PEM that vouches for the issuer. Absent: the system. */
  readonly issuerCa?: string
  readonly clientId: string
  readonly clientSecret?: SecretKey
  /** A refresh token that somebody obtained by hand. */
  readonly refresh?: { readonly token: SecretKey; readonly rotatedKey?: string }
  /** What happens when that one is refused. */
  readonly fallback: 'None' | 'Auto' | 'Warn'
  readonly exchange?: Exchange
  /** As it was given; a grant of client credentials asks for the server where it is absent. */
  readonly audience?: string
  /** Besides `openid`. */
  readonly scopes: readonly string[]
  readonly trust: TrustChoice
}

export interface Exchange {
  readonly subject: SecretKey
  readonly subjectType: string
  readonly requestedType: string
  readonly resource?: string
  readonly actor?: SecretKey
  readonly actorType: string
}

export interface TrustChoice {
  /** The Secret that vouches, or where what is trusted on first use is kept. Absent: beside the ClusterConfig. */
  readonly secret?: SecretKey
  readonly insecure: boolean
  /** Absent: as the installation has it. */
  readonly firstUse?: boolean
}

/** How an API server is trusted. */
export interface Trust {
  readonly source: 'Secret' | 'FirstUse' | 'System' | 'Kubeconfig' | 'Insecure'
  /** PEM. Absent: the system's roots, or nobody. */
  readonly ca?: string
  /** SHA-256 of the CA, as people compare it. */
  readonly fingerprint?: string
}

export interface Token {
  readonly value: Secret
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly grant: 'client_credentials' | 'refresh_token' | 'token_exchange'
  /** Why the refresh token that was given did not serve, where another grant took its place. */
  readonly refused?: string
}

/** On demand, in memory, one request at a time. */
export interface TokenSource {
  /**
   * Fresh for at least 30 seconds, where its life allows. `refresh`: the API server refused the last one. Throws one of `failures.ts`.
   * The signal ends the waiting of this caller, not the request that others wait for.
   */
  current(options?: { refresh?: boolean; signal?: AbortSignal }): Promise<Token>
  /** Whether a token is waited for, and it is the issuer's discovery document that does not come. */
  isDiscovering(): boolean
}

/** What is worth telling people although it works. */
export type Note =
  | { readonly kind: 'old-key'; readonly key: string; readonly wanted: string; readonly field: string }
  | { readonly kind: 'first-use'; readonly fingerprint: string; readonly secret: string }
  | { readonly kind: 'replaced'; readonly fingerprint: string; readonly before: string }

/** A cluster that can be called. The same one until something changes that it was made of. */
export interface OpenSpoke {
  readonly cluster: string
  readonly namespace: string
  readonly by: Way['by']
  /** Where calls go, after any rewriting. */
  readonly server: string
  readonly trust: Trust
  /** At the pace of the ClusterConfig, and not at all for a while after several failures. */
  readonly kube: Kube
  readonly notes: readonly Note[]
  /** What the hub would show now; throws why it has nothing to show. */
  credential(signal?: AbortSignal): Promise<Credential>
  /** Whether what the credential waits for is an issuer's discovery document. */
  isDiscovering?(): boolean
  /** When the cluster last answered 429. */
  throttledAt(): Date | undefined
  /** What is wrong with the certificate, after a call was given up with KUBE_UNTRUSTED. Throws the signal's reason only. */
  explainDistrust?(signal?: AbortSignal): Promise<Failure>
}

/** What the hub shows a cluster. Never the secret itself. */
export interface Credential {
  readonly issuer: string
  readonly issuedAt?: Date
  readonly expiresAt?: Date
  readonly fingerprint: string
  readonly keptIn: string
  /** Of the token, see there. */
  readonly refused?: string
}

/** Every cluster that the hub can get into, by the name of its ClusterConfig. */
export interface Spokes {
  /**
   * Throws one of `failures.ts`, also where a name is unknown or ambiguous. Callers at the same time share one opening;
   * the signal ends the waiting of this caller only.
   */
  open(cluster: string, options?: { signal?: AbortSignal }): Promise<OpenSpoke>
  /** Forgets what is cached of a cluster: connection, token, breaker. */
  forget(cluster: string): void
  /** Tells of every answer 429, whoever asked. */
  onThrottled?(listener: (cluster: string) => void): Disposable
}

/** Read at each use, so that a change of the configuration counts at once. */
export interface SpokeSettings {
  /** Whether an unknown CA is trusted when first seen, where a ClusterConfig does not say. */
  trustOnFirstUse: boolean
  /** Whether the hub runs in a pod: only then a loopback address cannot be meant. */
  insideCluster: boolean
  rewriteLoopback: boolean
  /** Where servers, proxies and issuers that users name may be. */
  egress: EgressRules
  /** Undefined: calls are always tried. */
  breaker: { failures: number; openMs: number } | undefined
  /** Where a ClusterConfig names none. */
  qps: number
  burst: number
}

export const defaultSpokeSettings: SpokeSettings = {
  trustOnFirstUse: true,
  insideCluster: false,
  rewriteLoopback: true,
  egress: everywhere,
  breaker: { failures: 3, openMs: 30_000 },
  qps: 50,
  burst: 100,
}
