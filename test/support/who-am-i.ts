import type { Kube } from '../../src/kube/kube.ts'

export interface UserInfo {
  username: string
  groups: string[]
}

/** Whom the API server takes this client for. Throws Unauthorized when it takes it for nobody. */
export async function whoAmI(kube: Kube): Promise<UserInfo> {
  const review = await kube.request<{ status: { userInfo: UserInfo } }>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    contentType: 'application/json',
  })
  const { username, groups } = review.status.userInfo
  return { username, groups }
}
