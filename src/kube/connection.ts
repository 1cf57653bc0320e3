import type { EgressRules } from '../core/egress.ts'
import type { Secret } from '../core/secret.ts'

/**
 * How to reach one API server: what a kubeconfig context, an in-cluster account or a ClusterConfig boils down to.
 * The client asks `credentials` before each call, so what changes on disk or expires is picked up without a restart.
 */
export interface Connection {
  /** https URL, possibly with a path prefix. */
  server: string
  tls: {
    /** PEM. Undefined: the system's roots. A leaf certificate here is trusted as itself. */
    ca?: string
    serverName?: string
    insecureSkipVerify?: boolean
  }
  /** http or https CONNECT proxy; may hold userinfo. */
  proxyUrl?: Secret
  /** PEM that vouches for an https proxy. Undefined: the system's roots. */
  proxyCa?: string
  /** Where the server and its proxy may be, when a user named them. Absent: anywhere. */
  egress?: { readonly server: EgressRules; readonly proxy: EgressRules }
  /** No gzip on lists, for a server or a proxy that is better off without. */
  disableCompression?: boolean
  /** Impersonation headers and the like. A list is sent as several headers of one name. */
  headers?: Record<string, string | string[]>
  /** Cached and cheap: called once a request. `refresh` is passed after a 401. Absent: anonymous. */
  credentials?(options?: { refresh?: boolean; signal?: AbortSignal }): Promise<Credentials>
}

export interface Credentials {
  /** Bearer token, or `user:password` where the scheme is Basic. */
  authorization?: Secret
  /** Default Bearer. */
  scheme?: 'Bearer' | 'Basic'
  /** A change of this moves new requests to a new TLS session; those in flight finish on the old one. */
  certificate?: { certPem: string; keyPem: Secret }
}
