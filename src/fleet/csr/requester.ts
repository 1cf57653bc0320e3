import type { SubjectAccessReview } from 'kubernetes-types/authorization/v1.d.ts'
import { registerGroup } from '../names.ts'
import type { ClusterRequest } from './approval.ts'

/** Whether an agent asks for its own next certificate. Anyone else who asks does so by a bootstrap credential. */
export const isRenewal = ({ requester, user }: ClusterRequest): boolean => requester === user

/** Asks whether whoever made the request may renew the certificate of its cluster. */
export function renewalReview({ csr, cluster }: ClusterRequest): SubjectAccessReview {
  const { username, uid, groups, extra } = csr.spec
  return {
    spec: {
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
      resourceAttributes: {
        group: registerGroup,
        resource: 'managedclusters',
        subresource: 'clientcertificates',
        verb: 'renew',
        name: cluster,
      },
    },
  }
}
