import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../../../apis/cluster/managed-cluster.ts'
import type { Outcome } from '../../../../core/outcome.ts'
import { randomFrom } from '../../../../core/random.ts'
import type { Stored } from '../../../../kube/objects.ts'
import { awsGrant } from '../hub-grant.ts'
import { recordAnnotation } from '../hub-record.ts'
import type { AwsCheckpoint } from '../hub-world.ts'
import { MemoryAws } from './memory-aws.ts'
import { aManagedCluster, hub } from './samples.ts'

export class Killed extends Error {}

/** A hub's grant on AWS and Kubernetes in memory, whose process can be killed at a checkpoint and started again. */
export function grantScene() {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const aws = new MemoryAws(() => clock.now())
  const clusters = kube.of(ManagedCluster.resource)
  const passed: AwsCheckpoint[] = []
  const told: string[] = []
  let isEks = true
  let killAt: AwsCheckpoint | undefined
  const checkpoint = (name: AwsCheckpoint) => {
    passed.push(name)
    if (name !== killAt) return
    killAt = undefined
    throw new Killed(name)
  }
  const start = () =>
    awsGrant({
      hub,
      tags: { team: 'blue' },
      iam: aws.iam,
      eks: aws.eks,
      isEks: async () => isEks,
      kube,
      clock,
      random: randomFrom(() => 0),
      checkpoint,
      tell: (cluster, failure) => told.push(`${cluster.metadata.name} ${failure.code}`),
    })
  let grant = start()
  const current = (name: string): Promise<Stored<ManagedCluster>> => clusters.get(name)
  /** Comes back for as long as it is told to. */
  async function toEnd(act: 'ensure' | 'revoke', name = 'west'): Promise<Outcome> {
    for (;;) {
      const outcome = await grant[act](await current(name))
      if (outcome.outcome !== 'requeueAfter') return outcome
      await clock.advance(outcome.ms)
    }
  }
  return {
    clock,
    kube,
    aws,
    clusters,
    passed,
    /** The cluster and the code of each failure that nothing waited for. */
    told,
    /** The hub's own API server is none of EKS, and EKS does not know the hub. */
    leaveEks() {
      isEks = false
      aws.knowsHub = false
    },
    join: (name = 'west', annotations?: Record<string, string>) => clusters.create(aManagedCluster(name, annotations)),
    ensure: async (name = 'west') => await grant.ensure(await current(name)),
    revoke: async (name = 'west') => await grant.revoke(await current(name)),
    ensureToEnd: (name?: string) => toEnd('ensure', name),
    revokeToEnd: (name?: string) => toEnd('revoke', name),
    keepUp: async (name = 'west') => await grant.keepUp(await current(name)),
    grant: () => grant,
    record: async (name = 'west') => (await current(name)).metadata.annotations?.[recordAnnotation],
    killAt(name: AwsCheckpoint) {
      killAt = name
    },
    restart() {
      grant = start()
    },
  }
}
