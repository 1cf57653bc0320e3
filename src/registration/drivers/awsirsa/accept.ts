/**
 * The hub's work in AWS, done by a person with AWS credentials of their own: for hubs that have none, as where nobody
 * wants to give them a role that makes roles. It is the same work by the same plan, and ends in the same record, which
 * is what such a hub goes by.
 */
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { sleep } from '../../../core/clock.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import type { Step } from '../../../core/step.ts'
import { isConflict } from '../../../kube/failures.ts'
import type { Stored } from '../../../kube/objects.ts'
import { failures } from './failures.ts'
import { dueTo } from './hub-due.ts'
import type { AwsGrant, AwsGrantDeps } from './hub-grant.ts'
import { awsGrant } from './hub-grant.ts'
import type { AwsCheckpoint } from './hub-world.ts'

export interface CallerDeps extends Omit<AwsGrantDeps, 'checkpoint' | 'tell' | 'onDoubt'> {
  signal?: AbortSignal
  checkpoint?: AwsGrantDeps['checkpoint']
  /** What stays in AWS though it was on record. It is among the steps as well. */
  tell?: (failure: Failure) => void
}

type Cluster = Stored<ManagedCluster>

/**
 * Makes role, policy and mapping of an accepted cluster, or puts right what is there. Nothing at all for a cluster that
 * does not come by AWS, or is gone. Throws what has to be put right first.
 */
export async function* acceptByCaller(deps: CallerDeps, name: string): AsyncGenerator<Step> {
  const cluster = await clusterOf(deps, name)
  if (!cluster || dueTo(cluster, deps.hub).due === 'nothing') return
  yield { doing: `making the AWS role of ${name}` }
  yield* untilDone(deps, name, (grant, now) => grant.ensure(now))
  const now = await clusterOf(deps, name)
  const isThere = now?.metadata.uid === cluster.metadata.uid
  yield isThere
    ? { did: `${name} has its AWS role`, detail: `on the hub ${deps.hub.arn}` }
    : { did: `${name} went meanwhile` }
}

/** Removes all of it, and the record after it. The cluster has to be denied before, or on its way out. */
export async function* revokeByCaller(deps: CallerDeps, name: string): AsyncGenerator<Step> {
  const cluster = await clusterOf(deps, name)
  if (!cluster || dueTo(cluster, deps.hub).due === 'nothing') return
  yield { doing: `removing the AWS role of ${name}` }
  const isRemoved = yield* untilDone(deps, name, async (grant, now) => {
    if (isIn(now)) throw failures.AWS_STILL_ACCEPTED({ cluster: name })
    return await grant.revoke(now)
  })
  yield { did: isRemoved ? `${name} has no AWS role any more` : `${name} went meanwhile` }
}

/** Looks at the cluster before each pass: its hub may write to it, or even do the same work. False when the cluster went. */
async function* untilDone(
  deps: CallerDeps,
  name: string,
  act: (grant: AwsGrant, cluster: Cluster) => Promise<Outcome>,
): AsyncGenerator<Step, boolean> {
  const told: Step[] = []
  let isInDoubt = false
  const grant = awsGrant({
    ...deps,
    checkpoint(passed) {
      deps.checkpoint?.(passed)
      const did = words[passed]
      if (did !== undefined) told.push({ did })
    },
    tell(_, failure) {
      deps.tell?.(failure)
      told.push({ did: 'a role was left alone', detail: failure.message })
    },
    onDoubt() {
      isInDoubt = true
    },
  })
  for (let conflicts = 0; ; ) {
    const cluster = await clusterOf(deps, name)
    if (!cluster) return false
    isInDoubt = false
    const outcome = await act(grant, cluster).catch((error) => {
      if (!isConflict(error) || ++conflicts === mostConflicts) throw error
      return { outcome: 'requeueAfter' as const, ms: afterConflictMs }
    })
    yield* told.splice(0)
    if (outcome.outcome === 'done') return true
    if (outcome.outcome === 'terminal') throw outcome.failure
    yield { doing: isInDoubt ? waitingInDoubt : 'waiting for AWS, which needs some seconds' }
    await sleep(deps.clock, outcome.ms, deps.signal)
  }
}

const waitingInDoubt =
  'waiting until AWS shows for sure what is there: there is a role already, which may have been removed a moment ago'

/** Each lost to a write of the hub or the agent, after the tries of the grant itself. */
const mostConflicts = 5
const afterConflictMs = 1_000

const isIn = ({ spec, metadata }: Cluster): boolean => spec?.hubAcceptsClient === true && !metadata.deletionTimestamp

const clusterOf = ({ kube, signal }: CallerDeps, name: string): Promise<Cluster | undefined> =>
  kube.of(ManagedCluster.resource).find(name, { ...(signal && { signal }) })

const words: Readonly<Partial<Record<AwsCheckpoint, string>>> = {
  'aws.role-created': 'the role is made',
  'aws.trust-written': 'the trust policy of the role is written',
  'aws.role-tagged': 'the role has its tags',
  'aws.access-written': 'the access policy of the role is written',
  'aws.mapped': 'the hub knows the role as the cluster',
  'aws.mapping-tagged': 'the access entry has its tags',
  'aws.unmapped': 'a mapping of the role is removed',
  'aws.policy-removed': 'a policy of the role is removed',
  'aws.policy-detached': 'a policy is taken off the role',
  'aws.role-removed': 'the role is removed',
}
