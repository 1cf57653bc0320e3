import { isFailure } from '../../core/failure.ts'
import { reasonOf } from '../../fleet/spoke/index.ts'
import type { Need } from '../../fleet/spoke/needs.ts'
import { needs } from '../../fleet/spoke/needs.ts'
import { selfSubjectAccessReviews } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'

/** One thing that the hub has to do on a cluster, and whether it may. */
export interface Permission {
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** Undefined: the cluster could not be asked. */
  readonly isAllowed: boolean | undefined
}

/**
 * Asks the cluster itself, of every verb of every need at once, as far as its pace allows. What the
 * cluster does not answer stays open; throws what is none of its doing.
 */
export async function reviewPermissions(
  kube: Kube,
  signal: AbortSignal,
  wanted: readonly Need[] = needs,
): Promise<Permission[]> {
  const asked = wanted.flatMap(({ group, resource, verbs }) => verbs.map((verb) => ({ group, resource, verb })))
  return Promise.all(asked.map(async (one) => ({ ...one, isAllowed: await mayDo(kube, one, signal) })))
}

async function mayDo(
  kube: Kube,
  { group, resource, verb }: Omit<Permission, 'isAllowed'>,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const review = { spec: { resourceAttributes: { group, resource, verb } } }
  try {
    const { status } = await kube.of(selfSubjectAccessReviews).create(review, { signal })
    return status?.allowed === true
  } catch (error) {
    if (signal.aborted || reasonOf(error) === undefined || isFailure(error, 'KUBE_CLOSED')) throw error
    return undefined
  }
}

/** As people write rules: `create subjectaccessreviews.authorization.k8s.io`. */
export const permissionName = ({ group, resource, verb }: Permission): string =>
  `${verb} ${group === '' ? resource : `${resource}.${group}`}`
