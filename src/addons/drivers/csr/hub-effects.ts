import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { Reason } from '../../../core/reason.ts'
import { approveRequest, removeRequest } from '../../../fleet/csr/decide.ts'
import { certificateSigningRequests } from '../../../kube/kinds.ts'
import type { Key, Stored } from '../../../kube/objects.ts'
import { splitKey } from '../../../kube/objects.ts'
import type { AddonHubDeps } from '../../hub/deps.ts'
import { reasons } from '../../reasons.ts'
import { isUnwanted } from './judge.ts'
import type { AddonRequest } from './read-request.ts'

/** What the hub does to certificate requests of add-ons. What is gone meanwhile needs nothing done. */
export interface AddonCsrEffects {
  approve(key: Key, request: AddonRequest): Promise<void>
  /** A newer one replaces it. False: it was gone already, or was decided on. */
  remove(key: Key, csr: Stored<CertificateSigningRequest>): Promise<boolean>
  /** No registration asks for it. The API server is asked first: the informer may be behind what the agent has seen. */
  removeUnwanted(key: Key, request: AddonRequest): Promise<boolean>
}

export function addonCsrEffects(
  { kube, view, clock, events, checkpoint }: AddonHubDeps,
  signal: AbortSignal,
): AddonCsrEffects {
  const csrs = kube.of(certificateSigningRequests)
  const tell = (key: Key, reason: Reason, message: string) => {
    const addon = view.addons.get(key)
    if (addon) events.record(ManagedClusterAddOn.resource, addon, { reason, message })
  }
  const remove = async (key: Key, csr: Stored<CertificateSigningRequest>, why: string) => {
    if (!(await removeRequest(csrs, csr, signal))) return false
    const { name } = csr.metadata
    tell(key, reasons.SupersededAddonCSRRemoved, `CSR ${name}, requested by ${csr.spec.username}, was removed: ${why}`)
    return true
  }
  return {
    async approve(key, { csr, requester, agent = requester }) {
      const approval = {
        reason: reasons.AutoApprovedByHubCSRApprovingController,
        message: `Agent ${agent} asks for a certificate of an add-on on its cluster.`,
        now: clock.now(),
      }
      if (!(await approveRequest(csrs, csr, approval, signal))) return
      checkpoint('addon-csr.approved')
      const { name } = csr.metadata
      tell(key, reasons.AddonCSRAutoApproved, `CSR ${name}, requested by ${requester}, was approved`)
    },
    remove: (key, csr) => remove(key, csr, 'a newer one replaces it'),
    async removeUnwanted(key, request) {
      const { namespace = '', name } = splitKey(key)
      const addon = await kube.of(ManagedClusterAddOn.resource, namespace).find(name, { signal })
      if (!isUnwanted(addon, request)) return false
      return await remove(key, request.csr, 'no registration of the add-on asks for it any more')
    },
  }
}
