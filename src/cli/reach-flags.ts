import { failures } from './failures.ts'
import type { ReachAddOptions } from './reach.ts'

type Flags = Omit<ReachAddOptions, 'namespace' | 'timeout' | 'output'>
export type ReachWay = 'kubeconfig' | 'oidc' | 'identity-provider' | 'from-join'

const flagOf: Readonly<Record<ReachWay, string>> = {
  kubeconfig: '--kubeconfig-file',
  oidc: '--issuer',
  'identity-provider': '--identity-provider',
  'from-join': '--from-join',
}

const ofTokens = ['server', 'client-id', 'client-secret-file', 'ca-file', 'audience', 'scope'] as const

/** Besides the flag of the way itself. */
const allowed: Readonly<Record<ReachWay, readonly string[]>> = {
  kubeconfig: ['from-context', 'cluster'],
  oidc: [...ofTokens, 'issuer-ca-file', 'cluster'],
  'identity-provider': [...ofTokens, 'cluster'],
  'from-join': [],
}

const needed: Readonly<Record<ReachWay, readonly string[]>> = {
  kubeconfig: [],
  oidc: ['server', 'client-id', 'client-secret-file'],
  'identity-provider': ['server'],
  'from-join': [],
}

/** Which way the flags mean. Throws for what could not be meant. */
export function checkFlags(options: Flags): ReachWay {
  const given: Readonly<Record<string, unknown>> = {
    'from-context': options.fromContext,
    server: options.server,
    'issuer-ca-file': options.issuerCaFile,
    'client-id': options.clientId,
    'client-secret-file': options.clientSecretFile,
    'ca-file': options.caFile,
    audience: options.audience,
    scope: options.scope,
    cluster: options.cluster,
  }
  const ways: ReachWay[] = [
    ...(options.kubeconfigFile === undefined ? [] : (['kubeconfig'] as const)),
    ...(options.issuer === undefined ? [] : (['oidc'] as const)),
    ...(options.identityProvider === undefined ? [] : (['identity-provider'] as const)),
    ...(options.fromJoin === undefined ? [] : (['from-join'] as const)),
  ]
  const [way] = ways
  if (way === undefined) throw failures.REACH_NO_WAY()
  if (ways.length > 1) throw failures.REACH_TWO_WAYS({ flags: ways.map((one) => flagOf[one]).join(' and ') })
  const missing = needed[way].find((flag) => given[flag] === undefined)
  if (missing !== undefined) throw failures.REACH_NEEDS_FLAG({ way: flagOf[way], flag: `--${missing}` })
  const idle = Object.keys(given).find((flag) => given[flag] !== undefined && !allowed[way].includes(flag))
  if (idle !== undefined) throw failures.REACH_FLAG_IDLE({ way: flagOf[way], flag: `--${idle}` })
  return way
}
