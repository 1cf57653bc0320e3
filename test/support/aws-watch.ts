import type { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { AwsScene } from './aws-scene.ts'
import { eventually } from './eventually.ts'
import type { FakeClock } from './fake-clock.ts'
import { condition } from './membership-scene.ts'

const accepted = 'HubAcceptedManagedCluster'

export const isAccepted = (scene: Pick<AwsScene, 'cluster'>, name: string): Promise<Stored<ManagedCluster>> =>
  condition(scene, name, accepted, 'True', 'HubClusterAdminAccepted')

/** What the hub says about a cluster that it was told to accept, and cannot. */
export async function whyNotAccepted(scene: Pick<AwsScene, 'cluster'>, name: string): Promise<string> {
  const { status } = await condition(scene, name, accepted, 'False', 'Error')
  return status?.conditions?.find(({ type }) => type === accepted)?.message ?? ''
}

/** What was changed in IAM and EKS since, in this order, and not only looked at. Refused ones count as well. */
export const changesSince = ({ aws }: Pick<AwsScene, 'aws'>, from: number): string[] =>
  aws.calls
    .slice(from)
    .filter(({ service, action }) => service !== 'sts' && !/^(Get|List|Describe)/.test(action))
    .map(({ action }) => action)

/** Lets a little time of the hub pass between two looks: it waits until AWS shows what it was told. */
export const inTime = <T>(clock: FakeClock, what: string, probe: () => T | Promise<T>, stepMs = 500) =>
  eventually(
    what,
    async () => {
      await clock.advance(stepMs)
      return await probe()
    },
    { withinMs: 60_000 },
  )

export const reasonOf = async (scene: Pick<AwsScene, 'cluster'>, name: string): Promise<string | undefined> =>
  (await scene.cluster(name)).status?.conditions?.find(({ type }) => type === accepted)?.reason
