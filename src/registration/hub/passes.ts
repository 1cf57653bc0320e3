import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Pass, Passes } from '../../core/pass.ts'
import { ownedPassBoard } from '../../core/pass-board.ts'
import type { Reason } from '../../core/reason.ts'
import { reasons } from '../../core/reasons.ts'
import { agentNamespace, agentSecrets, annotations, clientSigner, conditions } from '../../fleet/names.ts'
import { keyOf } from '../../kube/objects.ts'
import { recordedOn } from '../drivers/csr/hub-record.ts'
import { wayOf, writtenAwsRecord } from '../drivers/marks.ts'
import type { HubDeps } from './deps.ts'

/** The certificates and AWS roles of the agents, as the hub wrote them down. Lists what there is while `run` runs. */
export function registrationPasses({ view, clock }: Pick<HubDeps, 'view' | 'clock'>): Passes & { readonly run: Run } {
  const { tell, ...board } = ownedPassBoard(clock)
  return {
    ...board,
    async run(signal) {
      using _ = view.clusters.on(({ type, object }) =>
        tell(keyOf(object), type === 'deleted' ? [] : passesOf(object, clock.now())),
      )
      await aborted(signal)
    },
  }
}

/** A certificate of before is as good as ever until it ends, also where the agent comes by its AWS role by now. */
export function passesOf(cluster: ManagedCluster, now: Date): Pass[] {
  const certificate = certificatePass(cluster)
  const isOver = wayOf(cluster) !== 'csr' && certificate?.expiresAt && certificate.expiresAt <= now
  return [isOver ? undefined : certificate, rolePass(cluster)].filter((pass) => pass !== undefined)
}

/** Undefined while the hub knows of no certificate of the cluster. */
function certificatePass(cluster: ManagedCluster): Pass | undefined {
  const { agent, issuedAt, expiresAt, fingerprint = '' } = recordedOn(cluster)
  if (agent === undefined || !expiresAt) return undefined
  const name = keyOf(cluster)
  return {
    id: `join/${name}`,
    kind: 'join',
    holder: `${name}/${agent}`,
    issuer: clientSigner,
    issuedAt: issuedAt ?? new Date(cluster.metadata?.creationTimestamp ?? expiresAt),
    expiresAt,
    // Where an agent keeps it unless it was told otherwise, which the hub cannot know.
    keptIn: `cluster/${name}: secret/${agentNamespace}/${agentSecrets.hubKubeconfig}`,
    fingerprint,
    state: reasons.PassIssued,
  }
}

/** Undefined while nothing is made for the cluster in AWS. The role stands until it is removed; its tokens end by themselves. */
function rolePass(cluster: ManagedCluster): Pass | undefined {
  const record = writtenAwsRecord(cluster)
  if (!record) return undefined
  const name = keyOf(cluster)
  return {
    id: `join/${name}/aws`,
    kind: 'join',
    holder: name,
    issuer: 'iam.amazonaws.com',
    issuedAt: grantedAt(cluster),
    keptIn: `iam: role/${record.role}`,
    // It ends in a digest of the two EKS clusters and their accounts.
    fingerprint: record.role,
    state: stateOfRole(cluster, record.isBegun),
  }
}

/** The record goes once all that it names is gone, so a cluster that is out and has one is about to lose it. */
function stateOfRole({ metadata, spec }: ManagedCluster, isBegun: boolean): Reason {
  if (metadata?.deletionTimestamp || !spec?.hubAcceptsClient) return reasons.PassRevoked
  return isBegun ? reasons.AwaitingIssuer : reasons.PassIssued
}

/** The hub says that it accepts once the role is in place; where it does not say so any more, the role is no older than this. */
function grantedAt({ metadata, status }: ManagedCluster): Date {
  const accepted = findCondition(status?.conditions, conditions.accepted)
  const since = accepted?.status === 'True' ? accepted.lastTransitionTime : undefined
  return new Date(since ?? metadata?.annotations?.[annotations.acceptedBefore] ?? metadata?.creationTimestamp ?? 0)
}
