import type { Kind } from '../kinds/kind.ts'
import { resourceName } from '../objects.ts'
import type { Ignored } from './own-fields.ts'

/** By resource and subresource, what differs from the rule. Seen on the real server. */
const exceptions: Readonly<Record<string, Ignored>> = {
  'certificatesigningrequests.certificates.k8s.io/': [['spec'], ['status']],
  'certificatesigningrequests.certificates.k8s.io/approval': [['spec'], ['status', 'certificate']],
  'certificatesigningrequests.certificates.k8s.io/status': [['spec'], ['status', 'conditions']],
  'deployments.apps/status': [['spec'], ['metadata', 'labels']],
  'namespaces/finalize': [['status']],
  'pods/status': [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
}

/** Fields that a request to a resource or subresource cannot change, and so nobody comes to own by sending them. */
export function ignoredBy(
  { group, plural, custom }: Pick<Kind, 'group' | 'plural' | 'custom'>,
  subresources: Kind['subresources'],
  subresource: string,
): Ignored {
  const exception = custom ? undefined : exceptions[`${resourceName(group, plural)}/${subresource}`]
  if (exception) return exception
  if (subresource === '') return 'status' in subresources ? [['status']] : []
  if (subresource === 'status') return custom ? [['metadata'], ['spec']] : [['spec']]
  return []
}
