import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, terminal } from '../../../core/outcome.ts'
import type { Stored } from '../../../kube/objects.ts'
import { failures } from './failures.ts'
import type { Due } from './hub-due.ts'
import { dueTo } from './hub-due.ts'
import type { AwsGrant } from './hub-grant.ts'
import { recordAnnotation, recordOn } from './hub-record.ts'
import type { EksCluster } from './names.ts'

type Cluster = Stored<ManagedCluster>

/** Nobody gave this process AWS credentials: neither the SDK found any, nor our own search. */
export const isWithoutCredentials = (error: unknown): boolean =>
  isFailure(error, 'AWS_NO_CREDENTIALS') || isFailure(error, 'AWS_CREDENTIALS_MISSING')

/**
 * The grant of a hub that leaves AWS to people: `lanyard accept` makes the role with the credentials of whoever runs it
 * and writes the record, `lanyard deny` removes both. The record is all that this hub goes by.
 */
export const grantByHand = (hub: EksCluster): AwsGrant => ({
  async ensure(cluster) {
    const due = dueTo(cluster, hub)
    if (due.due === 'refusal') return terminal(due.failure)
    if (due.due === 'nothing' || isInPlace(due)) return done
    throw failures.AWS_ACCEPT_BY_HAND({ cluster: cluster.metadata.name })
  },
  keepUp: async () => done,
  hasHadCredentials: () => false,
  async revoke(cluster) {
    const { role } = recordOn(cluster) ?? {}
    if (role === undefined) return done
    if (isGone(cluster)) throw ofEarlier(cluster, role, 'the hub has no AWS credentials of its own')
    throw failures.AWS_REVOKE_BY_HAND({ role, cluster: cluster.metadata.name })
  },
})

/** No command can name it: only its namespace tells of it. */
const isGone = ({ metadata }: Cluster): boolean => metadata.resourceVersion === ''

const ofEarlier = ({ metadata }: Cluster, role: string, detail: string, cause?: unknown): Failure =>
  failures.AWS_ROLE_OF_EARLIER({ role, cluster: metadata.name, detail, annotation: recordAnnotation }, cause)

/** What AWS answers does not tell that it is about a cluster that is gone, nor what a person can do. */
async function tellingOfEarlier(cluster: Cluster, revoking: Promise<Outcome>): Promise<Outcome> {
  try {
    return await revoking
  } catch (error) {
    const { role } = recordOn(cluster) ?? {}
    const isOfAws = isFailure(error) && error.code.startsWith('AWS_') && error.code !== 'AWS_ROLE_OF_EARLIER'
    throw isGone(cluster) && role !== undefined && isOfAws ? ofEarlier(cluster, role, error.message, error) : error
  }
}

const isInPlace = (due: Due): boolean => due.due === 'role' && due.onRecord !== undefined && !due.onRecord.isBegun

/** The search for credentials may take seconds where there are none. */
const searchAgainMs = 60_000

/**
 * The hub's own grant while it has AWS credentials, and the one by hand while it has none. A search that fails once there
 * were some is a failure like others. What is in place is the upkeep's alone: an AWS that cannot be asked, or somebody
 * who took a role apart, must not end what a cluster has, and a hub that starts does not ask for all of its fleet at once.
 */
export function grantOrByHand(own: AwsGrant, hub: EksCluster, clock: Pick<Clock, 'now'>): AwsGrant {
  const byHand = grantByHand(hub)
  let searchAt = 0
  async function orByHand(act: (grant: AwsGrant) => Promise<Outcome>): Promise<Outcome> {
    if (clock.now().getTime() < searchAt) return await act(byHand)
    try {
      return await act(own)
    } catch (error) {
      if (!isWithoutCredentials(error) || own.hasHadCredentials()) throw error
      searchAt = clock.now().getTime() + searchAgainMs
      return await act(byHand)
    }
  }
  return {
    async ensure(cluster, signal) {
      return isInPlace(dueTo(cluster, hub)) ? done : await orByHand((grant) => grant.ensure(cluster, signal))
    },
    keepUp: (cluster, signal) => orByHand((grant) => grant.keepUp(cluster, signal)),
    revoke: (cluster, signal) =>
      tellingOfEarlier(
        cluster,
        orByHand((grant) => grant.revoke(cluster, signal)),
      ),
    hasHadCredentials: () => own.hasHadCredentials(),
  }
}
