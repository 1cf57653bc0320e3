import { isForbidden, isNotFound } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { resource } from '../../kube/objects.ts'

interface SelfSubjectReview extends KubeObject {
  status?: { userInfo?: { username?: string } }
}

const selfSubjectReviews = resource<SelfSubjectReview>(
  'authentication.k8s.io/v1',
  'SelfSubjectReview',
  'selfsubjectreviews',
  { namespaced: false },
)

/** The user that this client is to its server; undefined where the server does not tell. */
export async function userOf(kube: Kube): Promise<string | undefined> {
  try {
    const { status } = await kube.of(selfSubjectReviews).create({ metadata: {} } as never)
    return status?.userInfo?.username
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}
