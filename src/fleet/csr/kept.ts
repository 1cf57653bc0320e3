import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { withoutManagedFields } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import { labels } from '../names.ts'

type Csr = Stored<CertificateSigningRequest>

/** Many times what a request of an agent or an add-on takes. */
const mostCharacters = 64 * 1_024

/**
 * What the hub keeps of a request. Every agent may make as many as it likes, each as large as the API server stores: of one
 * that is larger than any real one only what it is found by is kept, and so it is none that the hub decides on.
 */
export function keptRequest(csr: Csr): Csr {
  const kept = withoutManagedFields(csr)
  if (JSON.stringify(kept).length <= mostCharacters) return kept
  const { name, uid, resourceVersion, creationTimestamp, labels: given } = kept.metadata
  const named = [labels.clusterName, labels.addonName].flatMap((label) => {
    const value = given?.[label]
    return value === undefined ? [] : [[label, value] as const]
  })
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(creationTimestamp && { creationTimestamp }),
      labels: Object.fromEntries(named),
    },
    spec: { request: '', signerName: kept.spec.signerName },
  }
}
