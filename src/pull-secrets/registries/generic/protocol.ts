/** What Lanyard asks of a program or a server that keeps accounts for it, and what it is answered. docs/registry-drivers.md explains it. */
import { Secret } from '../../../core/secret.ts'
import type { ClusterFacts } from '../../cluster.ts'
import { field, textField } from '../http/index.ts'
import type { Account, Found } from '../registry.ts'

export const protocolVersion = 1

export const actions = [
  'create',
  'find',
  'finish',
  'recover',
  'remove',
  'disable',
  'enable',
  'validate',
  'check',
] as const
export type Action = (typeof actions)[number]

/** Twice is the same as once, for all but this. */
export const isRepeatable = (action: Action): boolean => action !== 'create'

/** Whether it leaves everything as it is, so that nothing is uncertain when it fails. */
export const onlyLooks = (action: Action): boolean => action === 'find' || action === 'validate' || action === 'check'

export interface Ask {
  name?: string
  ref?: string
  username?: string
  /** To be set, where the driver chooses secrets. */
  secret?: Secret
  /** To be tried. */
  token?: Secret
  cluster?: ClusterFacts
}

/** Sends one request and returns its answer, parsed. Throws failures of the catalogue only. */
export type Transport = (action: Action, ask: Ask, signal: AbortSignal) => Promise<unknown>

/** The body of a request. It holds secrets: it goes to the standard input of a program, or over TLS, and nowhere else. */
export function requestOf(
  action: Action,
  { cluster, secret, token, ...rest }: Ask,
  { registry, instanceId, settings }: { registry: string; instanceId: string; settings: Record<string, unknown> },
): Record<string, unknown> {
  return {
    version: protocolVersion,
    action,
    registry,
    instance: instanceId,
    settings,
    ...rest,
    ...(secret && { secret: secret.reveal() }),
    ...(token && { token: token.reveal() }),
    ...(cluster && {
      cluster: {
        id: cluster.id,
        cloudProvider: cluster.cloudProvider,
        region: cluster.region,
        ...(cluster.externalResourceId !== undefined && { externalResourceId: cluster.externalResourceId }),
      },
    }),
  }
}

/** Undefined when something is missing or cannot be used. `chosen` is the secret where we choose it. */
export function accountOf(json: unknown, chosen?: Secret): Account | undefined {
  const [username, told, ref] = ['username', 'token', 'ref'].map((name) => textField(json, name))
  const token = chosen ?? (told === undefined ? undefined : Secret.of(told))
  if (username === undefined || token === undefined || username.includes(':')) return undefined
  const expiry = textField(json, 'expiresAt')
  const expiresAt = expiry === undefined ? undefined : new Date(expiry)
  if (expiresAt && Number.isNaN(expiresAt.getTime())) return undefined
  return { username, token, ...(ref !== undefined && { ref }), ...(expiresAt && { expiresAt }) }
}

export function foundOf(json: unknown, name: string): Found | undefined {
  if (field(json, 'found') !== true) return undefined
  const account = accountOf(json)
  const ref = textField(json, 'ref')
  const isOurs = field(json, 'isOurs')
  return {
    name,
    isDisabled: field(json, 'isDisabled') === true,
    ...(account && { account }),
    ...(ref !== undefined && { ref }),
    ...(typeof isOurs === 'boolean' && { isOurs }),
  }
}
