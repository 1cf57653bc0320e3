/** What the hub says to writes of ManagedClusters and ManagedClusterSetBindings before they are stored. */
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { ManagedClusterSetBinding } from '../../apis/cluster/managed-cluster-set-binding.ts'
import type { Clock } from '../../core/clock.ts'
import type { Requester, Right } from '../../fleet/access-review.ts'
import { hasRight, sentenceOf } from '../../fleet/access-review.ts'
import type { AdmissionRequest, AdmissionWebhook, Verdict } from '../../fleet/admission.ts'
import { allowed, forbidden } from '../../fleet/admission.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { ForeignNamespace } from '../foreign-namespace.ts'
import { contentOf, isForeign, lookInto, seenByHub } from '../foreign-namespace.ts'
import { bindRight, checkBinding } from './check-binding.ts'
import {
  acceptRight,
  changesAcceptance,
  checkCluster,
  deletionRights,
  isBeingAccepted,
  joinRights,
} from './check-cluster.ts'
import { declarations } from './declarations.ts'
import { defaultCluster } from './default-cluster.ts'

export { registrationDeclarations } from './declarations.ts'

export interface AdmissionDeps {
  /** Whose access reviews and namespaces are asked for. */
  kube: Kube
  clock: Pick<Clock, 'now'>
}

export const registrationWebhooks = ({ kube, clock }: AdmissionDeps): AdmissionWebhook[] => [
  {
    ...declarations.defaultClusters,
    decide: async (request) => defaultCluster(request, clock.now()),
  },
  {
    ...declarations.checkClusters,
    decide: (request, signal) => decideCluster(kube, request as AdmissionRequest<ManagedCluster>, signal),
  },
  {
    ...declarations.checkBindings,
    decide: (request, signal) => decideBinding(kube, request as AdmissionRequest<ManagedClusterSetBinding>, signal),
  },
]

async function decideCluster(
  kube: Kube,
  request: AdmissionRequest<ManagedCluster>,
  signal: AbortSignal,
): Promise<Verdict> {
  const verdict = checkCluster(request)
  if (!verdict.allowed) return verdict
  const rights = [...joinRights(request), ...deletionRights(request)]
  const name = request.object?.metadata?.name ?? ''
  const namespace = isBeingAccepted(request) ? await kube.of(namespaces).find(name, { signal }) : undefined
  if (namespace?.metadata.deletionTimestamp)
    return forbidden(`the namespace ${name} is being deleted; accept the cluster once it is gone`)
  if (changesAcceptance(request)) rights.unshift(acceptRight(name))
  const decided = await decideRights(kube, request.userInfo, rights, signal)
  if (!decided.allowed || !namespace || !isForeign(namespace, name)) return decided
  return { allowed: true, warnings: [foreignWarning(name, await lookInto(kube, name, signal, seenByHub))] }
}

const foreignWarning = (name: string, foreign: ForeignNamespace): string =>
  `a namespace ${name} is there and was not made for the cluster; its agent gets rights in it to leases, add-ons and works. It holds ${contentOf(foreign)}`

async function decideBinding(
  kube: Kube,
  request: AdmissionRequest<ManagedClusterSetBinding>,
  signal: AbortSignal,
): Promise<Verdict> {
  const verdict = checkBinding(request)
  const right = bindRight(request)
  return verdict.allowed && right ? decideRights(kube, request.userInfo, [right], signal) : verdict
}

/** All are asked about at once; the first that is missing is told. */
async function decideRights(
  kube: Kube,
  requester: Requester,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<Verdict> {
  const answers = await Promise.all(rights.map((right) => hasRight(kube, requester, right, signal)))
  const missing = rights.find((_, index) => !answers[index])
  if (!missing) return allowed
  return forbidden(
    `user ${JSON.stringify(requester.username ?? '')} lacks the right ${sentenceOf(missing)}; an administrator of the hub can grant it`,
  )
}
