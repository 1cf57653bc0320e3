import type { ManagedClusterSetBinding } from '../../apis/cluster/managed-cluster-set-binding.ts'
import type { Right } from '../../fleet/access-review.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest } from '../../fleet/admission.ts'

type Request = AdmissionRequest<ManagedClusterSetBinding>

const bindsAnew = ({ object, oldObject }: Request): boolean =>
  object?.spec?.clusterSet !== oldObject?.spec?.clusterSet || !oldObject

/** A binding that stays as it is may have its labels, or its finalizers, changed. */
export function checkBinding(request: Request): Verdict {
  const { object } = request
  if (!object || !bindsAnew(request) || object.metadata?.name === object.spec?.clusterSet) return allowed
  return badRequest('spec.clusterSet must be the name of the binding; give both the name of the set')
}

/** Asked about when a set is bound, not at each later change. */
export const bindRight = (request: Request): Right | undefined =>
  bindsAnew(request)
    ? {
        verb: 'create',
        group: 'cluster.open-cluster-management.io',
        resource: 'managedclustersets',
        subresource: 'bind',
        name: request.object?.spec?.clusterSet ?? '',
      }
    : undefined
