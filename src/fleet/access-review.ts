import { subjectAccessReviews } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { AdmissionRequest } from './admission.ts'

/** Whoever sent a request to the hub's API server. */
export type Requester = AdmissionRequest['userInfo']

/** A right on a resource of the hub; also one that only access reviews know. */
export interface Right {
  verb: string
  group: string
  resource: string
  subresource?: string
  /** Empty: all of them. */
  name: string
  namespace?: string
}

export const sentenceOf = ({ verb, group, resource, subresource, name, namespace }: Right): string =>
  [
    `to ${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`,
    ...(group === '' ? [] : [`of ${group}`]),
    ...(name === '' ? [] : [`named ${name}`]),
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
  ].join(' ')

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
