import type { Kube } from '../../src/kube/kube.ts'
import type { UserInfo } from './who-am-i.ts'

export interface WholeUser extends UserInfo {
  uid?: string
  extra?: Record<string, string[]>
}

/** Like `whoAmI`, with everything that the server knows of the user. */
export async function reviewSelf(kube: Kube): Promise<WholeUser> {
  const review = await kube.request<{ status: { userInfo: WholeUser } }>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    contentType: 'application/json',
  })
  return review.status.userInfo
}

/** The message that a call was refused with. */
export const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'it was not refused',
    (error: Error) => error.message,
  )
