import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../../core/clock.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, terminal } from '../../../core/outcome.ts'
import type { Grant } from '../../../core/pass.ts'
import type { Random } from '../../../core/random.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Eks, Iam } from './clients/ports.ts'
import { failures } from './failures.ts'
import { claimOf } from './hub-annotations.ts'
import type { Step, World } from './hub-plan.ts'
import { planToEnsure, planToRevoke, wantedRole } from './hub-plan.ts'
import type { AwsRecord } from './hub-record.ts'
import { recordOn, recordText, writeRecord } from './hub-record.ts'
import { seenLately } from './hub-seen.ts'
import { afterSetback, untilSettled } from './hub-setbacks.ts'
import { sinceWhen } from './hub-since.ts'
import { turns } from './hub-turns.ts'
import type { AwsCheckpoint, Outside } from './hub-world.ts'
import { checkpointAfter, look, perform } from './hub-world.ts'
import { accessEntries } from './mapping/access-entry.ts'
import { awsAuthEntries } from './mapping/aws-auth.ts'
import { mappingMode } from './mapping/mode.ts'
import type { EksCluster } from './names.ts'
import { roleArn } from './names.ts'
import type { Tags } from './tags.ts'

export interface AwsGrantDeps {
  hub: EksCluster
  /** What people want on everything that is made. */
  tags: Tags
  iam: Iam
  eks: Eks
  kube: Kube
  clock: Clock
  random: Random
  checkpoint: (name: AwsCheckpoint) => void
}

type Cluster = Stored<ManagedCluster>

export interface AwsGrant extends Grant<Cluster> {
  /** The same as `ensure`, for a cluster that has been granted before and still is when its turn comes. */
  keepUp(name: string): Promise<Outcome>
}

/**
 * The role, its access policy and its mapping. Each pass looks at what is there and does what is missing, so one that
 * was killed anywhere is taken up by the next; what it is about to make is on the ManagedCluster before.
 */
export function awsGrant(deps: AwsGrantDeps): AwsGrant {
  const { hub, kube, clock, random, checkpoint } = deps
  const mode = mappingMode(deps.eks, hub, clock)
  const outside: Outside = {
    hub,
    iam: deps.iam,
    mappings: { 'access-entry': accessEntries(deps.eks, mode), 'aws-auth': awsAuthEntries(kube) },
  }
  const inTurn = turns()
  /** A hub that starts looks at everything once. */
  const seen = seenLately(clock)
  const setbacks = sinceWhen(clock)
  const missed = sinceWhen(clock)

  async function ensure(cluster: Cluster): Promise<Outcome> {
    const { name, uid, annotations } = cluster.metadata
    const claim = claimOf(annotations, hub)
    if (claim.claim === 'refused') return terminal(claim.failure)
    const onRecord = recordOn(cluster)
    const role = claim.claim === 'aws' ? wantedRole({ hub, managed: claim.managed }) : undefined
    // Agents write these annotations. Whoever accepted the cluster did so for the ARN that it had then.
    if (onRecord && onRecord.role !== role) {
      const now = claim.claim === 'aws' ? claim.managed.arn : 'nothing of AWS'
      return terminal(failures.AWS_ARN_CHANGED({ cluster: name, role: onRecord.role, now }))
    }
    if (claim.claim === 'none' || role === undefined) return done
    const { managed } = claim
    const as = (record: AwsRecord) => `granted ${uid} ${managed.arn} ${recordText(record)}`
    if (onRecord && seen.isFresh(name, as(onRecord))) return done
    seen.forget(name)
    missed.forget(`${name} ${role}`)
    return await attempt({ of: `${name} ${role}`, managed }, async (doing) => {
      const mapping = await mode.kind()
      const earlier = onRecord?.mappings ?? []
      // A cluster of the mode CONFIG_MAP has no access entries, whatever is on record: the mode never goes back to it.
      const kinds = mapping === 'aws-auth' ? [mapping] : [mapping, ...earlier]
      const world = await look(outside, named(role), new Set(kinds))
      const plan = planToEnsure({ hub, managed, name, uid, mapping, tags: deps.tags }, world)
      if ('refused' in plan) throw plan.refused
      const begun = { role, mappings: [mapping, ...earlier] }
      const ended = { role, mappings: [mapping] }
      const held = await record(cluster, begun)
      if (!held) return done
      await takeSteps(role, world, plan.steps, doing)
      if (!(await record(held, ended))) return done
      seen.note(name, as(ended))
      return done
    })
  }

  async function revoke(cluster: Cluster): Promise<Outcome> {
    const { name, uid, annotations } = cluster.metadata
    const onRecord = recordOn(cluster)
    const claim = claimOf(annotations, hub)
    const roles: Revoked[] = onRecord ? [{ ...onRecord, isOnRecord: true }] : []
    // Also without a record, which somebody may have removed.
    const claimed = claim.claim === 'aws' ? wantedRole({ hub, managed: claim.managed }) : undefined
    if (claimed !== undefined && claimed !== onRecord?.role)
      roles.push({ role: claimed, mappings: [], isOnRecord: false })
    const as = `revoked ${uid} ${roles.map(({ role }) => role)}`
    if (roles.length === 0 || (!onRecord && seen.isFresh(name, as))) return done
    seen.forget(name)
    // One that cannot be removed does not keep the other's access.
    const errors: unknown[] = []
    const outcomes: Outcome[] = []
    for (const held of roles)
      await removeRole(cluster, held).then(
        (outcome) => outcomes.push(outcome),
        (error: unknown) => errors.push(error),
      )
    if (errors.length > 0) throw errors[0]
    const unfinished = outcomes.find(({ outcome }) => outcome !== 'done')
    if (unfinished) return unfinished
    if (onRecord && (await writeRecord(kube, cluster, undefined))) checkpoint('aws.record-removed')
    for (const { role } of roles) missed.forget(`${name} ${role}`)
    seen.note(name, as)
    return done
  }

  const removeRole = (cluster: Cluster, held: Revoked): Promise<Outcome> => {
    const { name, uid } = cluster.metadata
    const { role, mappings, isOnRecord } = held
    const removed = attempt({ of: `${name} ${role}` }, async (doing) => {
      const kinds = new Set(mappings.length > 0 ? mappings : [await mode.kind()])
      const world = await look(outside, named(role), kinds, { withPolicies: true })
      const missedMs = missed.note(`${name} ${role}`, missingOf(held, world))
      const plan = planToRevoke({ hub, name, uid }, held, world)
      await takeSteps(role, world, plan.steps, doing)
      if (plan.refused) throw plan.refused
      // What was found is gone from now on, too.
      missed.note(`${name} ${role}`, [role, ...mappings])
      // The record is the last trace of what AWS does not show yet.
      return isOnRecord && missedMs < surelyGoneMs ? untilSettled(random) : done
    })
    return orNoCredentials(removed, isOnRecord)
  }

  async function takeSteps(role: string, world: World, steps: readonly Step[], doing: Doing): Promise<void> {
    if (world.role) doing.roleMadeAt = world.role.createdAt
    for (const step of steps) {
      doing.step = step
      await perform(outside, named(role).arn, step)
      checkpoint(checkpointAfter[step.step])
    }
    delete doing.step
  }

  /** What it came to, when AWS did not let it end. */
  async function attempt(about: About, work: (doing: Doing) => Promise<Outcome>): Promise<Outcome> {
    const { of, managed } = about
    const doing: Doing = {}
    try {
      const outcome = await work(doing)
      setbacks.forget(of)
      return outcome
    } catch (error) {
      // Among what EKS calls invalid are access entries on a cluster of another mode.
      if (isFailure(error, 'AWS_INVALID')) mode.forget()
      const now = clock.now().getTime()
      const roleAgeMs = now - (doing.roleMadeAt?.getTime() ?? now)
      const { step } = doing
      const sinceMs = setbacks.note(of, [`${step?.step} ${isFailure(error) && error.code}`])
      return afterSetback(
        { error, hub, roleAgeMs, sinceMs, ...(managed && { managed }), ...(step && { step }) },
        random,
      )
    }
  }

  /** Undefined: the cluster is gone, and nothing may be made for it. */
  async function record(cluster: Cluster, wanted: AwsRecord): Promise<Cluster | undefined> {
    const onRecord = recordOn(cluster)
    if (onRecord && recordText(onRecord) === recordText(wanted)) return cluster
    const held = await writeRecord(kube, cluster, wanted)
    if (held) checkpoint('aws.recorded')
    return held
  }

  async function keepUp(name: string): Promise<Outcome> {
    const cluster = await kube.of(ManagedCluster.resource).find(name)
    return cluster && isGranted(cluster) ? await ensure(cluster) : done
  }

  const named = (role: string) => ({ name: role, arn: roleArn(hub, role) })

  return {
    ensure: (cluster) => inTurn(cluster.metadata.name, () => ensure(cluster)),
    keepUp: (name) => inTurn(name, () => keepUp(name)),
    revoke: (cluster) => inTurn(cluster.metadata.name, () => revoke(cluster)),
  }
}

/** Membership has been here before: the first time is its own, and so is the last. */
export const isGranted = (cluster: Cluster): boolean =>
  cluster.spec?.hubAcceptsClient === true && !cluster.metadata.deletionTimestamp && recordOn(cluster) !== undefined

/** By then IAM and EKS show what they were told: what is missing twice, this long apart, is not there. */
const surelyGoneMs = 15_000

/** A role to revoke, and the mappings that are on record for it. */
interface Revoked extends AwsRecord {
  isOnRecord: boolean
}

/** What is on record and was not found. */
const missingOf = ({ role, mappings }: AwsRecord, world: World): string[] => [
  ...(world.role ? [] : [role]),
  ...mappings.filter((kind) => !world.mappings.some((found) => found.kind === kind)),
]

interface About {
  /** The cluster and the role. */
  of: string
  managed?: EksCluster
}

interface Doing {
  step?: Step
  roleMadeAt?: Date
}

/** A hub without AWS credentials made nothing, unless its record says so: a cluster may leave it all the same. */
async function orNoCredentials(removed: Promise<Outcome>, isOnRecord: boolean): Promise<Outcome> {
  try {
    return await removed
  } catch (error) {
    if (!isOnRecord && isFailure(error, 'AWS_NO_CREDENTIALS')) return done
    throw error
  }
}
