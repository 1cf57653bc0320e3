import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../core/clock.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Step } from '../../core/step.ts'
import { decisionOn, judgeClusterRequest } from '../../fleet/csr/approval.ts'
import { byAge } from '../../fleet/csr/superseded.ts'
import { annotations, conditions, labels } from '../../fleet/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import { certificateSigningRequests, namespaces } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { wayOf } from '../drivers/marks.ts'
import type { ForeignNamespace } from '../foreign-namespace.ts'
import { isForeign, lookInto } from '../foreign-namespace.ts'
import { reasons } from '../reasons.ts'
import type { AcceptChoices, AcceptSituation, Asking } from './accept-plan.ts'
import { planAcceptance } from './accept-plan.ts'
import type { AwsWork } from './aws-work.ts'
import { workOfCaller } from './aws-work.ts'
import { decideOn } from './decide-on-request.ts'
import { failures } from './failures.ts'
import { untilGranted } from './until-joined.ts'

export interface OperationDeps {
  /** The hub, as the person who asks. */
  kube: Kube
  clock: Clock
  signal: AbortSignal
  /** For clusters that come by AWS IAM. Absent: whoever runs the hub sees to it. */
  aws?: AwsWork
}

/**
 * Lets a cluster in: approves what its agent asks for and accepts it. Both are tried without effect first, so that a
 * person who may do only one of them changes nothing.
 */
export async function* acceptCluster(name: string, choices: AcceptChoices, deps: OperationDeps): AsyncGenerator<Step> {
  const { kube, clock, signal, aws } = deps
  yield { doing: `looking at ${name}` }
  const situation = await situationOf(name, clock, kube, { signal })
  const plan = planAcceptance(situation, choices)
  if (plan.plan === 'refuse') throw plan.failure
  const work = situation.isAws ? await workOfCaller(aws) : undefined
  if (plan.plan === 'nothing') {
    // Whatever is there already is left as it is, and what is not comes back.
    if (work) yield* work.accept(name)
    yield { did: `${name} is accepted already` }
    if (situation.isAws && aws && !work) yield* untilGranted(name, aws.hubWithinMs, deps)
    return
  }

  const { approve } = plan
  const accept = (dryRun: boolean) =>
    kube
      .of(ManagedCluster.resource)
      .patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: true } } }, { signal, dryRun })
  const approval = (dryRun: boolean) =>
    approve &&
    decideOn(
      approve.csr,
      { type: 'Approved', reason: reasons.ApprovedByLanyardAccept },
      { kube, clock, signal, dryRun },
    )
  await Promise.all([accept(true), approval(true)])
  await approval(false)
  if (approve) yield { did: `${approve.csr} is approved`, detail: `asked for by ${approve.requester}` }
  // Before it is accepted: who may not do this work has let nobody in.
  if (work) yield* work.accept(name)
  await accept(false)
  yield { did: `${name} is accepted`, ...(approve && { detail: `agent ${approve.agent}` }) }
  if (situation.isAws && aws && !work) yield* untilGranted(name, aws.hubWithinMs, deps)
}

async function situationOf(
  name: string,
  clock: Clock,
  kube: Kube,
  options: { signal: AbortSignal },
): Promise<AcceptSituation> {
  const [cluster, foreign, { items: csrs }] = await Promise.all([
    kube.of(ManagedCluster.resource).find(name, options),
    namespaceOfOthers(name, kube, options.signal),
    kube.of(certificateSigningRequests).list({
      ...options,
      labelSelector: `${labels.clusterName}=${name},!${labels.addonName}`,
    }),
  ])
  if (!cluster) throw failures.CLUSTER_UNKNOWN({ cluster: name })
  const noted = cluster.metadata.annotations ?? {}
  const agent = noted[annotations.agentName]
  const statusOf = (type: string) => findCondition(cluster.status?.conditions, type)?.status
  const hasCertificate = new Date(noted[annotations.certificateExpiresAt] ?? 0) > clock.now()
  return {
    cluster,
    isAws: wayOf(cluster) === 'awsirsa',
    asking: csrs
      .filter((csr) => decisionOn(csr) === 'none')
      .toSorted(byAge)
      .flatMap((csr) => askingOf(csr, name)),
    ...(foreign && { foreign }),
    hasApproved: csrs.some((csr) => decisionOn(csr) === 'approved' && askingOf(csr, name).length > 0) || hasCertificate,
    ...(agent !== undefined && {
      joined: {
        agent,
        // The hub says Unknown of whom it does not hear any more.
        isHeard: ['True', 'False'].includes(statusOf(conditions.available) ?? ''),
        hasCertificate,
        isContested: statusOf(conditions.duplicateAgent) === 'True',
      },
    }),
  }
}

/**
 * Only where something is in it, or may be. Who may not even see whether there is such a namespace is not asked: admission
 * warns them.
 */
export async function namespaceOfOthers(
  name: string,
  kube: Kube,
  signal: AbortSignal,
): Promise<ForeignNamespace | undefined> {
  try {
    const namespace = await kube.of(namespaces).find(name, { signal })
    if (!namespace || !isForeign(namespace, name)) return undefined
    const foreign = await lookInto(kube, name, signal)
    return foreign.found.size > 0 || foreign.unseen.length > 0 ? foreign : undefined
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

/** Requests that do not ask for what an agent of this cluster is are nobody's to approve here. */
function askingOf(csr: Stored<CertificateSigningRequest>, cluster: string): Asking[] {
  const request = judgeClusterRequest(csr)
  if (typeof request === 'string' || request.cluster !== cluster) return []
  const { agent, requester, publicKeyPem } = request
  return [{ csr: csr.metadata.name, agent, requester, groups: csr.spec.groups ?? [], publicKey: publicKeyPem }]
}
