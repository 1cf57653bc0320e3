import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { setCondition } from '../../../core/conditions.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { approveRequest, removeRequest, unlessAbsent } from '../../../fleet/csr/decide.ts'
import { renewalReview } from '../../../fleet/csr/requester.ts'
import { leaseName } from '../../../fleet/names.ts'
import { certificateSigningRequests, leases, subjectAccessReviews } from '../../../kube/kinds.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDeps } from '../../hub/deps.ts'
import { reasons } from '../../reasons.ts'
import { duplicateReport } from './hub-duplicate.ts'
import type { Judged } from './hub-judge.ts'
import { recordToWrite } from './hub-record.ts'
import type { SeenRequest } from './hub-requests.ts'

type Cluster = Stored<ManagedCluster>

/** What the CSR driver does to the world. What is gone meanwhile needs nothing done; a Conflict is thrown. */
export interface CsrEffects {
  mayRenew(request: SeenRequest): Promise<boolean>
  /** False: it is gone. */
  approve(cluster: Cluster, request: SeenRequest, why: 'renewal' | 'bootstrap'): Promise<boolean>
  /** Asks the server itself: the watch may hang for the reason that an answer was lost for. */
  isApproved(request: SeenRequest): Promise<boolean>
  /** Asks the server itself when the agent was heard: a watch that hangs must not let a copy in beside it. */
  hearLease(cluster: Cluster): Promise<void>
  /** Writes down which agent got the newest certificate. */
  record(cluster: Cluster, requests: readonly SeenRequest[]): Promise<void>
  reportSecondAgents(cluster: Cluster, judged: readonly Judged[]): Promise<void>
  removeSuperseded(cluster: Cluster, request: SeenRequest): Promise<void>
}

export function csrEffects({ kube, view, clock, events, checkpoint }: HubDeps, signal: AbortSignal): CsrEffects {
  const clusters = kube.of(ManagedCluster.resource)
  const csrs = kube.of(certificateSigningRequests)
  return {
    async mayRenew(request) {
      const { status } = await kube.of(subjectAccessReviews).create(renewalReview(request), { signal })
      return status?.allowed === true && status.denied !== true
    },

    async approve(cluster, request, why) {
      const { csr, agent, requester } = request
      checkpoint('approval.decided')
      const { reason, because } = approvals[why]
      const approval = {
        reason: reasons.AutoApprovedByHubCSRApprovingController,
        message: because(request),
        now: clock.now(),
      }
      if (!(await approveRequest(csrs, csr, approval, signal))) return false
      checkpoint('approval.done')
      events.record(ManagedCluster.resource, cluster, {
        reason,
        message: `CSR ${csr.metadata.name} of agent ${agent}, requested by ${requester}, was approved`,
      })
      return true
    },

    async isApproved({ csr: { metadata } }) {
      const found = await csrs.find(metadata.name, { signal })
      return found?.metadata.uid === metadata.uid && decisionOn(found) === 'approved'
    },

    async hearLease({ metadata: { name } }) {
      const lease = await kube.of(leases, name).find(leaseName, { signal })
      if (lease) view.heartbeats.looked(name, lease.spec?.renewTime)
    },

    async record(cluster, requests) {
      const written = recordToWrite(
        cluster,
        requests.flatMap(({ issued }) => issued ?? []),
      )
      if (!written) return
      // Not of one version only: nobody else writes these, and a cluster is changed often while it joins.
      // But of this very cluster: its name may be another's by now.
      const body = { metadata: { uid: cluster.metadata.uid, annotations: written } }
      await unlessAbsent(clusters.patch(cluster.metadata.name, { type: 'merge', body }, { signal }))
    },

    async reportSecondAgents(cluster, judged) {
      const report = duplicateReport(cluster, judged)
      if (!report) return
      const before = cluster.status?.conditions
      const conditions = setCondition(before, report, clock.now())
      if (conditions === before) return
      const { name, resourceVersion } = cluster.metadata
      const body = { metadata: { resourceVersion }, status: { conditions } }
      await unlessAbsent(clusters.patch(name, { type: 'merge', body }, { subresource: 'status', signal }))
      const type = report.status === 'True' ? 'Warning' : 'Normal'
      events.record(ManagedCluster.resource, cluster, { type, reason: report.reason, message: report.message })
    },

    async removeSuperseded(cluster, { csr, agent, requester }) {
      if (!(await removeRequest(csrs, csr, signal))) return
      events.record(ManagedCluster.resource, cluster, {
        reason: reasons.SupersededCSRRemoved,
        message: `CSR ${csr.metadata.name} of agent ${agent}, requested by ${requester}, was removed: a newer one replaces it`,
      })
    },
  }
}

const approvals = {
  renewal: {
    reason: reasons.ManagedClusterCSRAutoApproved,
    because: ({ agent }: SeenRequest) => `Agent ${agent} renews its own certificate.`,
  },
  bootstrap: {
    reason: reasons.ManagedClusterAutoApproved,
    because: ({ requester }: SeenRequest) => `Requests of ${requester} are approved by the hub.`,
  },
}
