import type { Caller } from './authenticate.ts'
import type { Context } from './conditions.ts'
import { conditionMet, context } from './conditions.ts'
import type { PolicyDocument, Statement, TrustDocument } from './policy-document.ts'
import { accessPolicy } from './policy-document.ts'
import { refuse } from './refusals.ts'
import { actionMatches, arnMatches } from './wildcard.ts'

export type Verdict = 'allowed' | 'denied' | 'silent'

/** Deny beats Allow, and what nobody mentions is not allowed. */
function verdictOf<S extends Statement>(statements: readonly S[], applies: (statement: S) => boolean): Verdict {
  const effects = statements.filter(applies).map(({ effect }) => effect)
  return effects.includes('Deny') ? 'denied' : effects.includes('Allow') ? 'allowed' : 'silent'
}

interface Ask {
  /** `iam:CreateRole` */
  action: string
  resource: string
  known: Context
}

const policyVerdict = (documents: readonly PolicyDocument[], { action, resource, known }: Ask): Verdict =>
  verdictOf(
    documents.flatMap(({ statements }) => statements),
    ({ actions, resources, condition }) =>
      actions.some((pattern) => actionMatches(pattern, action)) &&
      resources.some((pattern) => arnMatches(pattern, resource)) &&
      conditionMet(condition, known),
  )

/** What the caller's own policies say, narrowed by the policy of the session. */
export function verdictOfCaller(caller: Caller, ask: Ask): Verdict {
  const own = policyVerdict(policiesOf(caller), ask)
  if (!caller.sessionPolicy || own !== 'allowed') return own
  return policyVerdict([caller.sessionPolicy], ask)
}

function policiesOf({ principal }: Caller): PolicyDocument[] {
  if ('policies' in principal) return principal.policies
  const attached = [...principal.attached.values()].filter((document) => document !== undefined)
  return [...[...principal.inline.values()].map(accessPolicy), ...attached]
}

/** Refuses unless the caller may. `extra` are condition keys besides those of the caller. */
export function authorize(
  caller: Caller,
  action: string,
  resource: string,
  extra: Iterable<readonly [string, readonly string[]]> = [],
): void {
  const known = context([...callerKeys(caller), ...extra])
  const verdict = verdictOfCaller(caller, { action, resource, known })
  if (verdict !== 'allowed')
    refuse(verdict === 'denied' ? 'DENIED' : 'NOT_ALLOWED', { caller: caller.arn, action, resource })
}

export const callerKeys = ({ account, principal, tags }: Caller): [string, string[]][] => [
  ['aws:PrincipalAccount', [account.id]],
  ['aws:PrincipalArn', [principal.arn]],
  ...[...tags].map(([key, value]): [string, string[]] => [`aws:PrincipalTag/${key}`, [value]]),
]

export const tagKeys = (
  kind: 'RequestTag' | 'ResourceTag',
  tags: ReadonlyMap<string, string>,
): [string, string[]][] => [
  ...[...tags].map(([key, value]): [string, string[]] => [`aws:${kind}/${key}`, [value]]),
  ...(kind === 'RequestTag' && tags.size > 0 ? [['aws:TagKeys', [...tags.keys()]] as [string, string[]]] : []),
]

/** Who knocks: the values of principals that mean it, besides `*`. */
interface Knock {
  kind: 'AWS' | 'Federated'
  means: readonly string[]
  action: string
  known: Context
}

/** What a trust policy says of who knocks. */
export const trustVerdict = ({ statements }: TrustDocument, { kind, means, action, known }: Knock): Verdict =>
  verdictOf(
    statements,
    ({ actions, principals, condition }) =>
      actions.some((pattern) => actionMatches(pattern, action)) &&
      principals.some((one) => one.kind === kind && (one.value === '*' || means.includes(one.value))) &&
      conditionMet(condition, known),
  )
