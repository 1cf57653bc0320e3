import type { NeededRole } from '../prerequisites/index.ts'
import type { Tags } from '../tags.ts'
import type { Request } from './evaluate.ts'
import { verdictOf } from './evaluate.ts'

/** A role as it is found. Its attached policies are known by name only. */
export type RoleSight =
  | { readonly sight: 'absent' }
  | { readonly sight: 'unseen'; readonly why: string }
  | {
      readonly sight: 'seen'
      readonly trust: unknown
      readonly policies: readonly unknown[]
      readonly attached: readonly string[]
      readonly tags: Tags
    }

/** What is known to be missing, and what could not be told: the first keeps clusters out, the second may not. */
export interface Findings {
  readonly missing: readonly string[]
  readonly unclear: readonly string[]
  /** Nobody could look at the role at all: what is unclear is everything. */
  readonly isUnseen?: true
}

export interface Wanted {
  readonly role: NeededRole
  /** Who takes the role; undefined where the OpenID provider of the cluster is not known. */
  readonly pod: Request | undefined
  /** What is done with it. */
  readonly requests: readonly Request[]
  /** The account of the pod. */
  readonly subject: string
}

/** Compares by what documents allow, not by how they are written: a policy of one's own may say the same otherwise. */
export function judgeRole({ role, pod, requests, subject }: Wanted, seen: RoleSight): Findings {
  if (seen.sight === 'absent') return { missing: [`the role ${role.arn} does not exist`], unclear: [] }
  if (seen.sight === 'unseen')
    return { missing: [], unclear: [`the role ${role.arn} was not looked at: ${seen.why}`], isUnseen: true }
  const trust = pod ? verdictOf([seen.trust], pod) : 'unclear'
  const verdicts = requests.map((request) => ({ request, verdict: verdictOf(seen.policies, request) }))
  const actionsThatAre = (wanted: string) =>
    verdicts
      .filter(({ verdict }) => verdict === wanted)
      .map(({ request }) => request.action)
      .join(', ')
  const attached = seen.attached.join(', ')
  const refused = actionsThatAre('refused')
  const unclear = actionsThatAre('unclear')
  const tags = Object.entries(role.tags).filter(([key, value]) => seen.tags[key] !== value)
  return {
    missing: [
      ...(trust === 'refused' ? [`the trust policy of ${role.arn} does not let in ${subject}`] : []),
      ...(refused !== '' && attached === '' ? [`the policies of ${role.arn} do not allow ${refused}`] : []),
      ...tags.map(([key, value]) => `the role ${role.arn} has no tag ${key}=${value}`),
    ],
    unclear: [
      ...(trust === 'unclear' ? [`whether the trust policy of ${role.arn} lets in ${subject} cannot be told`] : []),
      ...(refused !== '' && attached !== ''
        ? [`whether ${role.arn} is allowed ${refused} cannot be told, as what is attached was not read: ${attached}`]
        : []),
      ...(unclear !== '' ? [`whether ${role.arn} is allowed ${unclear} depends on conditions`] : []),
    ],
  }
}
