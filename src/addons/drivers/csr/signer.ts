import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import type { Log } from '../../../core/log.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import type { Random } from '../../../core/random.ts'
import type { Reason } from '../../../core/reason.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { approveRequest } from '../../../fleet/csr/decide.ts'
import { labels } from '../../../fleet/names.ts'
import { controller } from '../../../kube/controller.ts'
import { informer, withoutManagedFields } from '../../../kube/informer.ts'
import { certificateSigningRequests } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import { watching } from '../../../kube/watching.ts'
import type { AddonRequest } from './read-request.ts'
import { readAddonRequest } from './read-request.ts'
import { reasons } from './reasons.ts'
import { certify, fail } from './sign.ts'

export interface AddonSignerOptions {
  /** May approve and sign for this signer, see `examples/addon-signer/rbac.yaml`. */
  kube: Kube
  /** As registrations of the type customSigner name it: `example.com/addon-signer`. */
  signerName: string
  /**
   * The certificate for an approved request as PEM, or why there will be none, for good. To throw means that it could
   * not be made now: it is tried again. The request is what it says: its cluster's agent asked, and its key signed it.
   */
  sign(request: AddonRequest): Promise<string | Refusal>
  /** Whether a request needs no person. Default: each waits for one. */
  mayApprove?(request: AddonRequest): boolean
  clock: Clock
  random: Random
  log: Log
  metrics?: Metrics
}

export interface Refusal {
  /** Becomes the message of the condition Failed. */
  readonly refused: string
}

/**
 * Decides on the certificate requests of add-ons for a signer of its own, and answers them. A request counts only if an
 * agent of exactly the cluster in its label made it, for an add-on that this cluster has: the labels alone are what
 * anybody writes.
 *
 * It does not look whether the hub accepts the cluster, or whether another agent has replaced the one that asks, whose own
 * certificate stays good for a while. Where that matters, give a `sign` that reads the ManagedCluster and refuses.
 */
export function addonSigner(options: AddonSignerOptions): { readonly run: Run } {
  const { kube, signerName } = options
  const csrs = informer(kube.of(certificateSigningRequests), {
    ...options,
    transform: withoutManagedFields,
    labelSelector: `${labels.clusterName},${labels.addonName}`,
    fieldSelector: `spec.signerName=${signerName}`,
  })
  const signing = controller(
    'addon-signer',
    async (key, { signal }) => {
      const csr = csrs.get(key)
      return csr ? await reconcile(csr, options, signal) : done
    },
    { ...options, watches: [watching(csrs)] },
  )
  return { run: (signal) => runTogether(signal, [csrs.run, signing.run]) }
}

type Csr = Stored<CertificateSigningRequest>

async function reconcile(csr: Csr, options: AddonSignerOptions, signal: AbortSignal): Promise<Outcome> {
  const decision = decisionOn(csr)
  if (decision === 'denied' || decision === 'failed' || csr.status?.certificate) return done
  const request = readAddonRequest(csr, options.signerName)
  if (decision === 'none') await approve(request, options, signal)
  else await answer(csr, request, options, signal)
  return done
}

async function approve(
  request: AddonRequest | Reason,
  options: AddonSignerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, mayApprove = () => false } = options
  if (typeof request === 'string' || !mayApprove(request)) return
  const { csr, cluster, addon, agent } = request
  if (!(await kube.of(ManagedClusterAddOn.resource, cluster).find(addon, { signal }))) return
  const message = `Agent ${agent} asks for a certificate of the add-on ${addon} on its cluster.`
  const approval = { reason: reasons.ApprovedBySigner, message, now: clock.now() }
  await approveRequest(kube.of(certificateSigningRequests), csr, approval, signal)
}

/** What a person approved is signed only if it is what it says: whoever approved saw a name, not a proof. */
async function answer(
  csr: Csr,
  request: AddonRequest | Reason,
  { kube, clock, sign }: AddonSignerOptions,
  signal: AbortSignal,
): Promise<void> {
  const csrs = kube.of(certificateSigningRequests)
  const refuse = (why: string) =>
    fail(csrs, csr, { reason: reasons.RefusedBySigner, message: why, now: clock.now() }, signal)
  if (typeof request === 'string') return await refuse(`It is no proper request of an add-on: ${request}.`)
  const signed = await sign(request)
  if (typeof signed === 'string') await certify(csrs, csr, signed, signal)
  else await refuse(signed.refused)
}
