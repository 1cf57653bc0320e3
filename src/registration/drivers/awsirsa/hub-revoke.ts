import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import type { Stored } from '../../../kube/objects.ts'
import { claimOf } from './hub-annotations.ts'
import { isWithoutCredentials } from './hub-by-hand.ts'
import { openGate } from './hub-gate.ts'
import type { AwsGrantDeps } from './hub-grant.ts'
import type { World } from './hub-plan.ts'
import { planToRevoke, wantedRole } from './hub-plan.ts'
import type { AwsRecord } from './hub-record.ts'
import { recordOn, writeRecord } from './hub-record.ts'
import { surelyGoneMs } from './hub-removals.ts'
import { untilSettled } from './hub-setbacks.ts'
import type { AwsWork } from './hub-work.ts'
import type { EksCluster } from './names.ts'

type Cluster = Stored<ManagedCluster>

/** Takes back the role that is on record and the one that the cluster claims, and then the record. */
export function revoking(
  deps: AwsGrantDeps,
  work: AwsWork,
): (cluster: Cluster, signal?: AbortSignal) => Promise<Outcome> {
  const { hub, kube, random, checkpoint, gate = openGate } = deps
  const { mode, seen, missed } = work

  async function revoke(cluster: Cluster, signal?: AbortSignal): Promise<Outcome> {
    const { name, uid } = cluster.metadata
    const onRecord = recordOn(cluster)
    const roles = rolesOf(cluster, hub)
    const as = `revoked ${uid} ${roles.map(({ role }) => role)}`
    if (roles.length === 0 || (!onRecord && seen.freshMs(name, as) > 0)) return done
    seen.forget(name)
    return await gate.pass(`revoke ${name}`, async () => {
      const held = { cluster }
      const removed = await removeAll(held, roles, signal)
      if (removed.outcome !== 'done') return removed
      if (onRecord && (await writeRecord(kube, held.cluster, undefined))) checkpoint('aws.record-removed')
      for (const { role } of roles) missed.forget(`${name} ${role}`)
      seen.note(name, as)
      return done
    })
  }

  /** One that cannot be removed does not keep the other's access. */
  async function removeAll(held: Held, roles: readonly Revoked[], signal: AbortSignal | undefined): Promise<Outcome> {
    const errors: unknown[] = []
    const outcomes: Outcome[] = []
    for (const role of roles)
      await orNoCredentials(role, remove(held, role, signal)).then(
        (outcome) => outcomes.push(outcome),
        (error: unknown) => errors.push(error),
      )
    if (errors.length > 0) throw errors[0]
    return outcomes.find(({ outcome }) => outcome !== 'done') ?? done
  }

  async function remove(held: Held, revoked: Revoked, signal: AbortSignal | undefined): Promise<Outcome> {
    const { name, uid } = held.cluster.metadata
    const { role, mappings, isOnRecord, isBegun } = revoked
    const of = `${name} ${role}`
    return await work.attempt({ of }, async (doing) => {
      const kinds = mappings.length > 0 ? mappings : [await mode.kind()]
      const world = await work.look(role, kinds, { withPolicies: true })
      const missedMs = missed.note(of, missingOf(revoked, world))
      const { steps, left } = planToRevoke({ hub, name, uid }, revoked, world)
      signal?.throwIfAborted()
      // A cluster that is accepted again before the end does not have what its record says it has.
      if (isOnRecord && !isBegun && steps.length > 0)
        held.cluster = (await work.record(held.cluster, { role, mappings, isBegun: true })) ?? held.cluster
      await work.takeSteps({ role, world, steps }, doing, signal)
      // What was found is gone from now on, too.
      missed.note(of, [role, ...mappings])
      // The record is the last trace of what AWS does not show yet.
      if (isOnRecord && missedMs < surelyGoneMs) return untilSettled(random)
      if (left) deps.tell(held.cluster, left)
      return done
    })
  }

  /** A hub that never had AWS credentials made nothing, unless its record says so: a cluster may leave it all the same. */
  async function orNoCredentials({ isOnRecord }: Revoked, removed: Promise<Outcome>): Promise<Outcome> {
    try {
      return await removed
    } catch (error) {
      if (!isOnRecord && !work.hasHadCredentials() && isWithoutCredentials(error)) return done
      throw error
    }
  }

  return revoke
}

/** The cluster as it was last written. */
interface Held {
  cluster: Cluster
}

/** A role to revoke, and the mappings that are on record for it. */
interface Revoked extends AwsRecord {
  isOnRecord: boolean
}

function rolesOf(cluster: Cluster, hub: EksCluster): Revoked[] {
  const onRecord = recordOn(cluster)
  const claim = claimOf(cluster.metadata.annotations, hub)
  // Also without a record, which somebody may have removed.
  const claimed = claim.claim === 'aws' ? wantedRole({ hub, managed: claim.managed }) : undefined
  return [
    ...(onRecord ? [{ ...onRecord, isOnRecord: true }] : []),
    ...(claimed !== undefined && claimed !== onRecord?.role
      ? [{ role: claimed, mappings: [], isOnRecord: false }]
      : []),
  ]
}

/** What is on record and was not found. */
const missingOf = ({ role, mappings }: AwsRecord, world: World): string[] => [
  ...(world.role ? [] : [role]),
  ...mappings.filter((kind) => !world.mappings.some((found) => found.kind === kind)),
]
