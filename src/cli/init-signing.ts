import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import { ownDomain } from '../core/own-domain.ts'
import type { Random } from '../core/random.ts'
import { clientSigner } from '../fleet/names.ts'
import { isForbidden } from '../kube/failures.ts'
import { certificateSigningRequests } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { Stored } from '../kube/objects.ts'
import { createRequest, generateKey } from '../pki/index.ts'

export type SigningVerdict = 'signs' | 'approval-forbidden' | 'signer-off'

export interface SigningDeps {
  kube: Kube
  clock: Clock
  random: Random
  patienceMs: number
  signal: AbortSignal
}

/** Tells our trials from requests that mean something, also after a crash. */
const mark = `${ownDomain}/csr-check`
const everyMs = 100

/**
 * Whether this cluster signs client certificates once somebody approves them: tried with a request for a user without
 * any rights, whose key is thrown away. The request is gone afterwards, whatever happened, and so are those that a
 * killed trial left behind.
 */
export async function trySigning(deps: SigningDeps): Promise<SigningVerdict> {
  const csrs = deps.kube.of(certificateSigningRequests)
  const { items } = await csrs.list({ labelSelector: mark, signal: deps.signal })
  const remove = (csr: string) =>
    csrs.delete(csr).catch((error: unknown) => {
      // Kubernetes removes it within a day.
      if (!isForbidden(error)) throw error
    })
  for (const { metadata } of items) await remove(metadata.name)
  const name = `lanyard-check-${deps.random.suffix(8)}`
  const request = await createRequest({ keyPem: generateKey().keyPem, subject: { commonName: `lanyard:${name}` } })
  try {
    const created = await csrs.create(
      {
        metadata: { name, labels: { [mark]: 'true' } },
        spec: {
          signerName: clientSigner,
          request: Buffer.from(request).toString('base64'),
          usages: ['client auth'],
          expirationSeconds: 600,
        },
      },
      { signal: deps.signal },
    )
    await csrs.update(approved(created), { subresource: 'approval', signal: deps.signal })
    return (await isSigned(name, deps)) ? 'signs' : 'signer-off'
  } catch (error) {
    if (isForbidden(error)) return 'approval-forbidden'
    throw error
  } finally {
    await remove(name)
  }
}

const approved = (csr: Stored<CertificateSigningRequest>): CertificateSigningRequest => ({
  ...csr,
  status: {
    conditions: [
      {
        type: 'Approved',
        status: 'True',
        reason: 'LanyardCheck',
        message: 'lanyard init looks whether this cluster signs client certificates.',
      },
    ],
  },
})

async function isSigned(name: string, { kube, clock, patienceMs, signal }: SigningDeps): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += everyMs) {
    const { status } = await kube.of(certificateSigningRequests).get(name, { signal })
    if (status?.certificate) return true
    if (status?.conditions?.some(({ type }) => type === 'Failed')) return false
    await sleep(clock, everyMs, signal)
  }
  return false
}

/** What to tell people; undefined when all is well. */
export const signingWarning = (verdict: SigningVerdict, patienceSeconds: number): string | undefined =>
  ({
    signs: undefined,
    'signer-off': `this cluster does not sign client certificates: a trial request was approved and not signed within ${patienceSeconds} s. Clusters cannot join by CSR; turn the signer of ${clientSigner} on (the controller csrsigning of kube-controller-manager)`,
    'approval-forbidden': `you may not approve client certificates here, so it stays unknown whether this cluster signs them, and you cannot accept clusters. Ask for the right to approve ${clientSigner} (verb approve on signers, update on certificatesigningrequests/approval)`,
  })[verdict]
