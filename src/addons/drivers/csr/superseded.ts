import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { byAge } from '../../../fleet/csr/superseded.ts'
import type { Stored } from '../../../kube/objects.ts'

type Csr = Stored<CertificateSigningRequest>

/**
 * The undecided requests of one add-on that a newer one of the same requester for the same signer replaces, be it
 * undecided or approved. Of the same second as an approved one it may as well be the newer: then it stays.
 */
export function supersededRequests(ofAddon: readonly Csr[]): Csr[] {
  const counted = ofAddon.filter((csr) => ['none', 'approved'].includes(decisionOn(csr))).sort(byAge)
  const newest = new Map(counted.map((csr) => [asker(csr), csr]))
  return counted.filter((csr) => {
    const by = newest.get(asker(csr))
    if (!by || by === csr || decisionOn(csr) !== 'none') return false
    return decisionOn(by) === 'none' || csr.metadata.creationTimestamp !== by.metadata.creationTimestamp
  })
}

const asker = ({ spec }: Csr): string => JSON.stringify([spec.username, spec.signerName])
