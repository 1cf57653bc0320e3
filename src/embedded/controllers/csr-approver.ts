import type { SubjectAccessReviewSpec } from 'kubernetes-types/authorization/v1.d.ts'
import { isFailure } from '../../core/failure.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { certificateSigningRequests, subjectAccessReviews } from '../../kube/kinds.ts'
import { watching } from '../../kube/watching.ts'
import type { CertificateRequest } from '../../pki/index.ts'
import type { Csr, CsrCondition } from './certificate-request.ts'
import { isIssued, requestIn } from './certificate-request.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'
import { kubeletClientFlaw } from './signers.ts'

/** Approves the client certificates of kubelets whose owners may have them without being asked. */
export function csrApprover(deps: ControllerDeps, { certificateRequests }: Informers): Controller {
  const { kube } = deps
  const mayCreate = async (csr: Csr, subresource: string, signal: AbortSignal): Promise<boolean> => {
    const review = await kube.of(subjectAccessReviews).create({ spec: askerOf(csr, subresource) }, { signal })
    return review.status?.allowed === true
  }
  return controller(
    'csrapproving',
    async (key, { signal }) => {
      const csr = certificateRequests.get(key)
      if (!csr || !isUndecided(csr)) return done
      const request = requestIn(csr)
      if (isFailure(request)) return done
      for (const { isMeant, subresource, message } of recognizers) {
        if (!isMeant(csr, request) || !(await mayCreate(csr, subresource, signal))) continue
        const approved = { ...csr, status: { ...csr.status, conditions: [approval(message)] } }
        await kube.of(certificateSigningRequests).update(approved, { subresource: 'approval', signal })
        return done
      }
      return done
    },
    { ...deps, watches: [watching(certificateRequests)] },
  )
}

const isUndecided = (csr: Csr): boolean => !isIssued(csr) && (csr.status?.conditions ?? []).length === 0

const isKubelets = ({ spec }: Csr, request: CertificateRequest): boolean =>
  spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet' &&
  kubeletClientFlaw(request, spec.usages ?? []) === undefined

/** A kubelet's own renewal first, which needs the lesser right. */
const recognizers = [
  {
    isMeant: (csr: Csr, request: CertificateRequest) =>
      csr.spec.username === request.subject.commonName && isKubelets(csr, request),
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  },
  {
    isMeant: isKubelets,
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  },
]

const askerOf = ({ spec }: Csr, subresource: string): SubjectAccessReviewSpec => ({
  user: spec.username ?? '',
  ...(spec.uid !== undefined && { uid: spec.uid }),
  ...(spec.groups && { groups: spec.groups }),
  ...(spec.extra && { extra: spec.extra }),
  resourceAttributes: {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    verb: 'create',
    subresource,
    version: '*',
  },
})

const approval = (message: string): CsrCondition => ({
  type: 'Approved',
  status: 'True',
  reason: 'AutoApproved',
  message,
})
