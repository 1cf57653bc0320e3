import { isFailure } from '../../core/failure.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, terminal } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import type { CertificateRequest } from '../../pki/index.ts'
import { issueCertificate } from '../../pki/index.ts'
import type { Csr, CsrCondition } from './certificate-request.ts'
import { conditionOf, isIssued, requestIn } from './certificate-request.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'
import { certificateUsages, lifetime, signers } from './signers.ts'

/** Signs what is approved, and says so where a request breaks the rules of its signer. */
export function csrSigner(deps: ControllerDeps, { certificateRequests }: Informers): Controller {
  const { kube, clock, clientCa } = deps

  async function answer(csr: Stored<Csr>, request: CertificateRequest): Promise<Csr['status']> {
    const { signerName, usages = [], expirationSeconds } = csr.spec
    const flaw = signers.get(signerName)?.(request, usages)
    if (flaw !== undefined) return { ...csr.status, conditions: [...(csr.status?.conditions ?? []), failed(flaw)] }
    const terms = { ...certificateUsages(usages), ...lifetime(expirationSeconds, clock.now()) }
    const certPem = await issueCertificate(clientCa, request, terms)
    return { ...csr.status, certificate: Buffer.from(certPem).toString('base64') }
  }

  async function sign(csr: Stored<Csr>, signal: AbortSignal): Promise<Outcome> {
    const request = requestIn(csr)
    if (isFailure(request)) return terminal(request)
    const status = await answer(csr, request).catch((error) => {
      if (isFailure(error)) return error
      throw error
    })
    if (isFailure(status)) return terminal(status)
    const answered = { ...csr, ...(status && { status }) }
    await kube.of(certificateSigningRequests).update(answered, { subresource: 'status', signal })
    return done
  }

  return controller(
    'csrsigning',
    async (key, { signal }) => {
      const csr = certificateRequests.get(key)
      return csr && isToBeSigned(csr) ? sign(csr, signal) : done
    },
    { ...deps, watches: [watching(certificateRequests)] },
  )
}

const isToBeSigned = (csr: Csr): boolean =>
  signers.has(csr.spec.signerName) &&
  !isIssued(csr) &&
  conditionOf(csr, 'Approved') !== undefined &&
  conditionOf(csr, 'Denied') === undefined &&
  conditionOf(csr, 'Failed') === undefined

const failed = (message: string): CsrCondition => ({
  type: 'Failed',
  status: 'True',
  reason: 'SignerValidationFailure',
  message,
})
