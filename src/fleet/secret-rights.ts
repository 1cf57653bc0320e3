import type { SecretKeyReference } from '../apis/breakglass/common.ts'
import type { Kube } from '../kube/kube.ts'
import type { Requester, Right } from './access-review.ts'
import { hasRight, sentenceOf } from './access-review.ts'
import type { Verdict } from './admission.ts'
import { allowed, forbidden } from './admission.ts'

/** A Secret that a field names. */
export interface NamedSecret {
  readonly field: string
  readonly ref: SecretKeyReference
  /** Where another object names it: words for it, since the answer must not tell what that object holds. */
  readonly elsewhere?: string
  /** The hub may also write into it, unless whoever names it does this. */
  readonly isWrittenUnless?: string
}

/** A right that whoever writes an object must have, because the hub would use it for them. */
export interface Asked {
  readonly field: string
  readonly right: Right
  /** See NamedSecret. */
  readonly elsewhere?: string
  /** What the right is for, and what to do without it. */
  readonly because: string
}

export const grant = 'an administrator of the hub can grant it'

export function askedOf({ field, ref: { name, namespace }, elsewhere, isWrittenUnless }: NamedSecret): Asked[] {
  const named = { field, ...(elsewhere !== undefined && { elsewhere }) }
  const right = (verb: string): Right => ({ verb, group: '', resource: 'secrets', name, namespace })
  const asked: Asked[] = [{ ...named, right: right('get'), because: `which the hub would read for them; ${grant}` }]
  if (isWrittenUnless !== undefined)
    asked.push({
      ...named,
      right: right('update'),
      because: `into which the hub would write for them; ${grant}, or ${isWrittenUnless}`,
    })
  return asked
}

/** How many Secrets are asked about one by one: an API server does not wait for ever. */
const mostSingly = 100

/** Each right once. Of too many to Secrets only whoever has them to all Secrets can be sure to have them. */
function boundedOf(asked: readonly Asked[]): Asked[] {
  const byRight = Map.groupBy(asked, ({ right }) => JSON.stringify(right))
  const once = [...byRight.values()].flatMap(([first]) => first ?? [])
  const toSecrets = once.filter(({ right }) => isToSecrets(right))
  if (toSecrets.length <= mostSingly) return once
  const byVerb = Map.groupBy(toSecrets, ({ right }) => right.verb)
  const together = [...byVerb].map(
    ([verb, [first, ...more]]): Asked => ({
      field: more.length === 0 ? `${first?.field}` : `${first?.field} and more`,
      right: { verb, group: '', resource: 'secrets', name: '' },
      because: `which is asked for in place of more than ${mostSingly} single ones; ${grant}`,
    }),
  )
  return [...together, ...once.filter(({ right }) => !isToSecrets(right))]
}

const isToSecrets = ({ group, resource }: Right): boolean => group === '' && resource === 'secrets'

/** All are asked about at once; the first that is missing is told. */
export async function decideRights(
  kube: Kube,
  requester: Requester,
  wanted: readonly Asked[],
  signal: AbortSignal,
): Promise<Verdict> {
  const asked = boundedOf(wanted)
  const answers = await Promise.all(asked.map(({ right }) => hasRight(kube, requester, right, signal)))
  const missing = asked.find((_, index) => !answers[index])
  if (!missing) return allowed
  const { field, right, elsewhere, because } = missing
  const what = elsewhere === undefined ? sentenceOf(right) : `to ${right.verb} ${elsewhere}`
  const who = `user ${JSON.stringify(requester.username ?? '')}`
  return forbidden(`${field}: ${who} lacks the right ${what}, ${because}`)
}
