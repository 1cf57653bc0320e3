/** The hub and the agents are killed between any two of their effects for an add-on, from enabling to disabling it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DriverName } from '../../src/addons/registrations.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { conditions } from '../../src/fleet/names.ts'
import { namespaces } from '../../src/kube/kinds.ts'
import { needsControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { keepAddonLedger } from './addon-ledger.ts'
import { addonCheckpoints, inOrder, planOf, roundsForAll } from './addon-plan.ts'
import type { AddonWorld } from './addon-round.ts'
import { playAddonRound } from './addon-round.ts'
import type { SoakHub } from './soak-hub.ts'
import { soakHub } from './soak-hub.ts'
import { supervise } from './supervised.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
const installNamespace = 'soak-addons'

/** The agent of a cluster whose add-ons come by this driver. */
async function memberOf(t: TestScope, { plane, kube, bootstrapKubeconfig }: SoakHub, driver: DriverName) {
  const cluster = `soak-${driver}`
  const namespace = `agent-of-${cluster}`
  await kube.of(namespaces).create({ metadata: { name: namespace } })
  const agent = supervise(t, `agent of ${cluster}`, [
    'agent',
    ...['--kubeconfig', plane.adminKubeconfigPath, '--namespace', namespace, '--spoke-cluster-name', cluster],
    ...['--bootstrap-kubeconfig', bootstrapKubeconfig, '--hub-kubeconfig-dir', join(tempDir(t), 'hub')],
    ...['--no-leader-election', '--create-retry-period', '1s', '--resync-period', '2s'],
    ...['--addon-kubeclient-registration-auth', driver, '--addon-token-expiration-seconds', '3600'],
  ])
  agent.start([])
  return { cluster, agent }
}

async function prepareWorld(t: TestScope): Promise<AddonWorld> {
  const prepared = await soakHub(t)
  const { kube, hub } = prepared
  hub.start([])
  await kube.of(namespaces).create({ metadata: { name: installNamespace } })
  const agents = { token: await memberOf(t, prepared, 'token'), csr: await memberOf(t, prepared, 'csr') }
  for (const { cluster } of Object.values(agents))
    await eventually(
      `${cluster} joins`,
      async () => {
        const found = await kube.of(ManagedCluster.resource).find(cluster)
        return findCondition(found?.status?.conditions, conditions.available)?.status === 'True'
      },
      { withinMs: 120_000 },
    )
  const contradictions = await keepAddonLedger(t, kube, installNamespace)
  return { t, ...prepared, agents, installNamespace, contradictions }
}

test(
  `hub and agent killed at every checkpoint of add-ons, ${rounds} rounds: the add-on has one account and a whole credential, and leaves nothing`,
  needsControlPlane,
  async (t) => {
    const world = await prepareWorld(t)
    const { hub, agents } = world
    const plans = Array.from({ length: rounds }, (_, index) => planOf(index))
    for (const [index, plan] of plans.entries()) {
      const phaseMs = await playAddonRound(world, `addon-${index + 1}`, plan)
      const took = Object.entries(phaseMs).map(([phase, ms]) => `${phase} ${ms} ms`)
      const killedAt = [...inOrder(plan.agent), ...inOrder(plan.hub)]
      t.diagnostic(`addon-${index + 1}: ${plan.driver}, ${took.join(', ')}; killed at ${killedAt.join(', ')}`)
    }
    const kills = new Map<CheckpointName, number>()
    for (const name of [hub, agents.token.agent, agents.csr.agent].flatMap(({ killedAt }) => killedAt))
      kills.set(name, (kills.get(name) ?? 0) + 1)
    for (const [name, times] of [...kills].sort()) t.diagnostic(`${name}: killed ${times} times`)
    if (rounds >= roundsForAll) assert.deepEqual([...kills.keys()].sort(), [...addonCheckpoints].sort())
    assert.deepEqual(world.contradictions, [])
  },
)
