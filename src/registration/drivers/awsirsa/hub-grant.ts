import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter, terminal } from '../../../core/outcome.ts'
import type { Grant } from '../../../core/pass.ts'
import type { Random } from '../../../core/random.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import { failures as membershipFailures } from '../../hub/membership/failures.ts'
import { whyReserved } from '../../hub/membership/reserved-names.ts'
import type { Eks, Iam } from './clients/ports.ts'
import { doubtsAbout } from './hub-doubts.ts'
import type { Due } from './hub-due.ts'
import { dueTo } from './hub-due.ts'
import type { Gate } from './hub-gate.ts'
import { openGate } from './hub-gate.ts'
import { leaveNoOrphans } from './hub-orphans.ts'
import { planToEnsure } from './hub-plan.ts'
import type { AwsRecord } from './hub-record.ts'
import { recordOn, recordText } from './hub-record.ts'
import { surelyGoneMs } from './hub-removals.ts'
import { revoking } from './hub-revoke.ts'
import { untilSettled } from './hub-setbacks.ts'
import { turns } from './hub-turns.ts'
import type { Doing, Steps } from './hub-work.ts'
import { awsWork } from './hub-work.ts'
import type { AwsCheckpoint } from './hub-world.ts'
import type { EksCluster } from './names.ts'
import type { Tags } from './tags.ts'

export interface AwsGrantDeps {
  hub: EksCluster
  /** What people want on everything that is made. */
  tags: Tags
  iam: Iam
  eks: Eks
  /** Whether the hub's own API server is one of EKS, as its version says. Asked for only where EKS does not know the hub. */
  isEks: () => Promise<boolean>
  kube: Kube
  clock: Clock
  random: Random
  checkpoint: (name: AwsCheckpoint) => void
  /** Default: everyone is let in at once. */
  gate?: Gate
  /** What people should know though nothing waits for it. */
  tell: (cluster: Stored<ManagedCluster>, failure: Failure) => void
  /** A second look at AWS has to agree with the first, and this pass was the first. */
  onDoubt?: () => void
}

type Cluster = Stored<ManagedCluster>

export interface AwsGrant extends Grant<Cluster> {
  /** The same as `ensure`, for a cluster that was granted when it was last seen, if it still is when its turn comes. */
  keepUp(known: Cluster, signal?: AbortSignal): Promise<Outcome>
  /** Whether AWS ever answered this process. */
  hasHadCredentials(): boolean
}

/**
 * The role, its access policy and its mapping. Each pass looks at what is there and does what is missing, so one that
 * was killed anywhere is taken up by the next; what it is about to make is on the ManagedCluster before.
 */
export function awsGrant(deps: AwsGrantDeps): AwsGrant {
  const { hub, kube, random, gate = openGate } = deps
  const work = awsWork(deps)
  const { mode, seen, missed, removals } = work
  const revoke = revoking(deps, work)
  const inTurn = turns()
  const doubts = doubtsAbout(deps.clock)

  async function ensure(cluster: Cluster, signal?: AbortSignal): Promise<Outcome> {
    const toMake = dueNow(cluster)
    if ('outcome' in toMake) return toMake
    return await passGate(cluster, () => attempt(cluster, toMake, signal))
  }

  const passGate = (cluster: Cluster, act: () => Promise<Outcome>): Promise<Outcome> =>
    gate.pass(`grant ${cluster.metadata.name}`, act)

  /** What AWS has to be asked about, or what it comes to without. */
  function dueNow(cluster: Cluster): DueRole | Outcome {
    const { name } = cluster.metadata
    const detail = whyReserved(name)
    if (detail !== undefined) return terminal(membershipFailures.CLUSTER_NAME_RESERVED({ cluster: name, detail }))
    const due = dueTo(cluster, hub)
    if (due.due === 'refusal') return terminal(due.failure)
    return due.due === 'nothing' || freshMs(cluster) > 0 ? done : due
  }

  async function attempt(cluster: Cluster, due: DueRole, signal: AbortSignal | undefined): Promise<Outcome> {
    const { name } = cluster.metadata
    const of = `${name} ${due.role}`
    seen.forget(name)
    missed.forget(of)
    return await work.attempt({ of, managed: due.managed }, (doing) => make(cluster, due, doing, signal))
  }

  async function make(
    cluster: Cluster,
    { role, managed, onRecord }: DueRole,
    doing: Doing,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const { name, uid } = cluster.metadata
    const mapping = await mode.kind()
    const earlier = onRecord?.mappings ?? []
    // A cluster of the mode CONFIG_MAP has no access entries, whatever is on record: the mode never goes back to it.
    const world = await work.look(role, mapping === 'aws-auth' ? [mapping] : [mapping, ...earlier])
    if (removals.mayBeIn(role, world)) return untilSettled(random)
    const plan = planToEnsure({ hub, managed, name, uid, mapping, tags: deps.tags }, world)
    if ('refused' in plan) throw plan.refused
    const isInPlace = onRecord !== undefined && !onRecord.isBegun
    const begun = { role, mappings: [mapping, ...earlier], ...(!isInPlace && { isBegun: true }) }
    const ended = { role, mappings: [mapping] }
    signal?.throwIfAborted()
    const held = await work.record(cluster, begun)
    if (!held) return done
    const doubtfulMs = isInPlace ? 0 : doubts.leftMs(uid, world.role)
    if (doubtfulMs > 0) {
      deps.onDoubt?.()
      return requeueAfter(doubtfulMs)
    }
    const isMade = await makeBetween(held, { begun, ended }, { role, world, steps: plan.steps }, doing, signal)
    if (isMade) seen.note(name, granted(uid, managed, ended))
    return done
  }

  /** False: the cluster went meanwhile, and what was made for it. */
  async function makeBetween(
    cluster: Cluster,
    { begun, ended }: Record<'begun' | 'ended', AwsRecord>,
    steps: Steps,
    doing: Doing,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { uid } = cluster.metadata
    let isRecorded = false
    try {
      await work.takeSteps(steps, doing, signal)
      isRecorded = (await work.record(cluster, ended)) !== undefined
      doubts.forget(uid)
    } finally {
      if (!isRecorded && doing.taken.some(({ step }) => step === 'create-role')) doubts.madeHere(uid)
      if (!isRecorded && doing.hasBegun)
        await leaveNoOrphans({ hub, kube, ...work }, { cluster, record: begun, taken: doing.taken })
    }
    return isRecorded
  }

  /** Milliseconds for which what this cluster has on record needs no look. */
  function freshMs(cluster: Cluster): number {
    const due = dueTo(cluster, hub)
    if (due.due !== 'role' || !due.onRecord) return 0
    const { name, uid } = cluster.metadata
    return seen.freshMs(name, granted(uid, due.managed, due.onRecord))
  }

  async function keepUp(known: Cluster, signal?: AbortSignal): Promise<Outcome> {
    const restMs = freshMs(known)
    if (restMs > 0) return restMs > surelyGoneMs ? done : requeueAfter(restMs)
    const toMake = dueNow(known)
    if ('outcome' in toMake) return toMake
    // The API server is asked with AWS or not at all: while that is away, a whole fleet comes back every minute.
    return await passGate(known, async () => {
      const cluster = await kube.of(ManagedCluster.resource).find(known.metadata.name, { ...(signal && { signal }) })
      if (!cluster || !isGranted(cluster)) return done
      const due = dueNow(cluster)
      return 'outcome' in due ? due : await attempt(cluster, due, signal)
    })
  }

  return {
    ensure: (cluster, signal) => inTurn(cluster.metadata.name, () => ensure(cluster, signal)),
    keepUp: (known, signal) => inTurn(known.metadata.name, () => keepUp(known, signal)),
    revoke: (cluster, signal) =>
      inTurn(cluster.metadata.name, () => {
        doubts.forget(cluster.metadata.uid)
        return revoke(cluster, signal)
      }),
    hasHadCredentials: work.hasHadCredentials,
  }
}

type DueRole = Extract<Due, { due: 'role' }>

const granted = (uid: string, managed: EksCluster, record: AwsRecord): string =>
  `granted ${uid} ${managed.arn} ${recordText(record)}`

/** Membership has been here before: the first time is its own, and so is the last. It has no part in reserved names. */
export function isGranted(cluster: Cluster): boolean {
  const isIn = cluster.spec?.hubAcceptsClient === true && !cluster.metadata.deletionTimestamp
  const onRecord = isIn && whyReserved(cluster.metadata.name) === undefined ? recordOn(cluster) : undefined
  return onRecord !== undefined && !onRecord.isBegun
}
