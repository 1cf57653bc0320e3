/**
 * Acting as somebody else, as an API server asks about it. `impersonate` (legacy) and `impersonate:<mode>` ask whether an
 * identity may be taken on; `impersonate-on:<mode>:<verb>` whether something may be done while it is.
 */
import type { PolicyRequest } from './contract.ts'

export const modes = ['user-info', 'serviceaccount', 'arbitrary-node', 'associated-node', 'legacy'] as const
export type Mode = (typeof modes)[number]

export type Impersonation =
  | { readonly asks: 'identity'; readonly mode: Mode }
  | { readonly asks: 'action'; readonly mode: Mode; readonly verb: string }
  /** It begins like one of them and is none. */
  | { readonly asks: 'unknown' }

const constrained = (mode: string | undefined): Mode | undefined =>
  modes.find((known) => known === mode && known !== 'legacy')

/** Undefined: it is an ordinary verb. */
export function impersonationOf(verb: string): Impersonation | undefined {
  if (!verb.startsWith('impersonate')) return undefined
  if (verb === 'impersonate') return { asks: 'identity', mode: 'legacy' }
  const [first, second, ...rest] = verb.split(':')
  const mode = constrained(second)
  if (first === 'impersonate' && mode && rest.length === 0) return { asks: 'identity', mode }
  const action = rest.join(':')
  if (first === 'impersonate-on' && mode && action !== '') return { asks: 'action', mode, verb: action }
  return { asks: 'unknown' }
}

/** No name is every name, and `*` says so. */
export const isWildcard = (name: string): boolean => name === '' || name === '*'

/** Why no session grants this, whatever the group that it stands for may do. Undefined: nothing is against it. */
export function whyNeverGranted({ verb, resource }: Pick<PolicyRequest, 'verb' | 'resource'>): string | undefined {
  const impersonation = impersonationOf(verb)
  if (!impersonation || impersonation.asks === 'action') return undefined
  if (impersonation.asks === 'unknown') return `No session grants ${verb}: it is no known way to act as somebody else.`
  if (!resource) return undefined
  if (resource.resource === 'groups' && resource.name === 'system:masters')
    return 'No session lets anybody act as a member of system:masters.'
  if (isWildcard(resource.name)) return `No session lets anybody act as any of the ${resource.resource} there are.`
  return undefined
}
