import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { AwsGrantDeps } from './hub-grant.ts'
import type { Step, World } from './hub-plan.ts'
import type { AwsRecord } from './hub-record.ts'
import { recordOn, recordText, writeRecord } from './hub-record.ts'
import type { Removals } from './hub-removals.ts'
import { removalsLately } from './hub-removals.ts'
import type { Seen } from './hub-seen.ts'
import { seenLately } from './hub-seen.ts'
import { afterSetback, kindOf } from './hub-setbacks.ts'
import type { SinceWhen } from './hub-since.ts'
import { sinceWhen } from './hub-since.ts'
import type { Outside } from './hub-world.ts'
import { checkpointAfter, look, perform } from './hub-world.ts'
import { accessEntries } from './mapping/access-entry.ts'
import { awsAuthEntries } from './mapping/aws-auth.ts'
import type { MappingKind } from './mapping/mapping.ts'
import type { Mode } from './mapping/mode.ts'
import { mappingMode } from './mapping/mode.ts'
import type { EksCluster } from './names.ts'
import { roleArn } from './names.ts'

type Cluster = Stored<ManagedCluster>

/** What a grant and its revocation have in common: how they look at AWS and change it, and what they remember. */
export interface AwsWork {
  mode: Mode
  seen: Seen
  /** What a role to revoke has on record and AWS does not show. */
  missed: SinceWhen
  removals: Removals
  look(role: string, kinds: Iterable<MappingKind>, also?: { withPolicies: boolean }): Promise<World>
  take(role: string, step: Step): Promise<void>
  takeSteps(of: Steps, doing: Doing, signal: AbortSignal | undefined): Promise<void>
  /** What it came to, when AWS did not let it end. */
  attempt(about: About, work: (doing: Doing) => Promise<Outcome>): Promise<Outcome>
  /** Undefined: the cluster is gone, and nothing may be made for it. */
  record(cluster: Cluster, wanted: AwsRecord): Promise<Cluster | undefined>
  /** Whether AWS ever answered this process. */
  hasHadCredentials(): boolean
}

export interface Steps {
  role: string
  world: World
  steps: readonly Step[]
}

export interface About {
  /** The cluster and the role. */
  of: string
  managed?: EksCluster
}

/** How far a pass has come. */
export interface Doing {
  step?: Step
  roleMadeAt?: Date
  hasBegun: boolean
  /** The steps that AWS confirmed. */
  taken: Step[]
}

export function awsWork(deps: AwsGrantDeps): AwsWork {
  const { hub, kube, clock, random, checkpoint } = deps
  const mode = mappingMode(deps)
  const outside: Outside = {
    hub,
    iam: deps.iam,
    mappings: { 'access-entry': accessEntries(deps.eks, mode), 'aws-auth': awsAuthEntries(kube) },
  }
  const setbacks = sinceWhen(clock)
  const removals = removalsLately(clock)
  let hasHadCredentials = false

  async function change(role: string, step: Step): Promise<void> {
    removals.begin(role, step)
    await perform(outside, roleArn(hub, role), step)
    removals.end(role, step)
  }

  return {
    mode,
    seen: seenLately(clock),
    missed: sinceWhen(clock),
    removals,
    hasHadCredentials: () => hasHadCredentials,

    async look(role, kinds, also) {
      const world = await look(outside, { name: role, arn: roleArn(hub, role) }, new Set(kinds), also)
      hasHadCredentials = true
      return world
    },

    async take(role, step) {
      await change(role, step)
      checkpoint(checkpointAfter[step.step])
    },

    async takeSteps({ role, world, steps }, doing, signal) {
      if (world.role) doing.roleMadeAt = world.role.createdAt
      for (const step of steps) {
        signal?.throwIfAborted()
        doing.step = step
        doing.hasBegun = true
        await change(role, step)
        doing.taken.push(step)
        checkpoint(checkpointAfter[step.step])
      }
      delete doing.step
    },

    async attempt({ of, managed }, work) {
      const doing: Doing = { hasBegun: false, taken: [] }
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
        const sinceMs = setbacks.note(of, [kindOf(error, step)])
        return afterSetback(
          { error, hub, roleAgeMs, sinceMs, ...(managed && { managed }), ...(step && { step }) },
          random,
        )
      }
    },

    async record(cluster, wanted) {
      const onRecord = recordOn(cluster)
      if (onRecord && recordText(onRecord) === recordText(wanted)) return cluster
      const held = await writeRecord(kube, cluster, wanted)
      if (held) checkpoint('aws.recorded')
      return held
    },
  }
}
