import { subjectAccessReviews } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Requester } from './requester.ts'

/** A right on a resource that only access reviews know. */
export interface Right {
  verb: string
  group: string
  resource: string
  subresource: string
  name: string
}

export const sentenceOf = ({ verb, group, resource, subresource, name }: Right): string =>
  `to ${verb} ${resource}/${subresource} of ${group} named ${name}`

/** Asks the hub's API server; throws when it cannot be asked. */
export async function hasRight(
  kube: Kube,
  { username, uid, groups, extra }: Requester,
  right: Right,
  signal: AbortSignal,
): Promise<boolean> {
  const spec = {
    resourceAttributes: { ...right },
    ...(username !== undefined && { user: username }),
    ...(uid !== undefined && { uid }),
    ...(groups && { groups }),
    ...(extra && { extra }),
  }
  const { status } = await kube.of(subjectAccessReviews).create({ spec }, { signal })
  return status?.allowed === true && status.denied !== true
}
