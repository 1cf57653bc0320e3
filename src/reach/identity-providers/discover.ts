import type { Clock } from '../../core/clock.ts'
import { discoveries, issuerFetches } from '../../fleet/spoke/oidc/index.ts'

/** Asks an issuer what it offers. Throws SPOKE_DISCOVERY_FAILED or EGRESS_DENIED. `ca`: PEM that vouches for it, else the system does. */
export type Discover = (issuer: string, ca: string | undefined, signal: AbortSignal) => Promise<unknown>

/** Anew each time, unlike whoever wants a token: it is to be known whether the issuer answers now. */
export function freshDiscovery(deps: Parameters<typeof issuerFetches>[0] & { clock: Clock }): Discover {
  const known = discoveries({ ...deps, fetches: issuerFetches(deps) })
  return (issuer, ca, signal) => {
    known.forget(issuer, ca)
    return known.get(issuer, ca, signal)
  }
}
