/** The hub and the agents are killed between any two of their effects, all the way from joining to deletion. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { rbacNames } from '../../src/fleet/names.ts'
import { clusterRoles, namespaces } from '../../src/kube/kinds.ts'
import { needsControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { presentRights } from '../support/membership-scene.ts'
import type { TestScope } from '../support/test-scope.ts'
import { keepLedger } from './join-ledger.ts'
import { allPlaces, hubKills, noKills, planOf, roundsForAll } from './join-plan.ts'
import type { World } from './join-round.ts'
import { agentNamespaceOf, playRound } from './join-round.ts'
import { soakHub } from './soak-hub.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
const patience = { withinMs: 120_000, everyMs: 50 }

async function prepareWorld(t: TestScope): Promise<World> {
  const prepared = await soakHub(t)
  return { t, ...prepared, ledger: await keepLedger(t, prepared.kube, agentNamespaceOf) }
}

test(
  `hub and agent killed at every checkpoint, ${rounds} rounds: no identity is lost, no key asked for twice, no right left over`,
  needsControlPlane,
  async (t) => {
    const world = await prepareWorld(t)
    const { kube, hub } = world
    const plans = Array.from({ length: rounds }, (_, index) => planOf(index))
    hub.start([])
    // One that nobody accepts: what all clusters share has to stay while it is there.
    const clusters = kube.of(ManagedCluster.resource)
    await eventually(
      'the hub takes a cluster',
      () => clusters.create({ metadata: { name: 'bystander' }, spec: {} }).catch(() => undefined),
      patience,
    )
    await hub.stop()
    hub.start(plans.flatMap(hubKills))

    const kills = new Map<CheckpointName, number>()
    const count = (names: readonly CheckpointName[]) => {
      for (const name of names) kills.set(name, (kills.get(name) ?? 0) + 1)
    }
    for (const [index, plan] of [...plans, noKills].entries()) {
      const cluster = `soak-${index + 1}`
      const { killedAt, phaseMs } = await playRound(world, cluster, plan)
      count(killedAt)
      const took = Object.entries(phaseMs).map(([phase, ms]) => `${phase} ${ms} ms`)
      t.diagnostic(`${cluster}: ${took.join(', ')}; killed at ${[...killedAt, ...hubKills(plan)].join(', ')}`)
      // Kept by the hub, which looks after it at each start; to keep all of them would only slow later rounds down.
      assert.deepEqual(await presentRights(kube, cluster), ['namespace'])
      await kube.of(namespaces).delete(cluster)
      await eventually('the namespace is gone', async () => !(await kube.of(namespaces).find(cluster)), patience)
    }
    count(hub.killedAt)
    for (const [name, times] of [...kills].sort()) t.diagnostic(`${name}: killed ${times} times`)
    if (rounds >= roundsForAll) assert.deepEqual([...kills.keys()].sort(), allPlaces.toSorted())

    assert.deepEqual(world.ledger.contradictions, [])
    const names = (await clusters.list()).items.map(({ metadata }) => metadata.name)
    assert.deepEqual(names, ['bystander'], 'no agent has made its cluster again')
    await clusters.delete('bystander')
    const isGone = async (role: string) => !(await kube.of(clusterRoles).find(role))
    for (const role of [rbacNames.registrationRole, rbacNames.workRole])
      await eventually(`${role} goes with the last cluster`, () => isGone(role), patience)
  },
)
