import type { Outcome } from '../../../core/outcome.ts'
import { done, terminal } from '../../../core/outcome.ts'
import type { HubDriver } from '../../drivers/driver.ts'
import { isOnRecord, wayOf } from '../../drivers/marks.ts'
import type { Cluster, Membership } from './context.ts'
import { inOrder } from './context.ts'
import { failures } from './failures.ts'

type Drivers = Pick<Membership, 'drivers'>

/** The one way by which the cluster comes; undefined where this hub does not offer it. */
export const driverOf = ({ drivers }: Drivers, cluster: Cluster): HubDriver | undefined =>
  drivers.find(({ name }) => name === wayOf(cluster))

/** What the cluster's own driver gives it. */
export async function grantTo(membership: Drivers, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const driver = driverOf(membership, cluster)
  return driver ? await driver.grant.ensure(cluster, signal) : without(cluster)
}

/**
 * What any driver gave it: the cluster may have come by another way before. Not over while something is on record that
 * no driver of this hub can take back, or nothing would tell of it any more.
 */
export async function revokeFrom(membership: Drivers, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const revoked = await inOrder(
    membership.drivers.map(
      ({ grant }) =>
        () =>
          grant.revoke(cluster, signal),
    ),
  )
  if (revoked.outcome !== 'done') return revoked
  const isHeld = isOnRecord(cluster) && !driverOf(membership, cluster)
  return isHeld ? without(cluster) : done
}

const without = (cluster: Cluster): Outcome => {
  const { name } = cluster.metadata
  const driver = wayOf(cluster)
  return terminal(
    isOnRecord(cluster)
      ? failures.DRIVER_MISSING_FOR_RECORD({ cluster: name, driver })
      : failures.DRIVER_MISSING({ cluster: name, driver }),
  )
}
