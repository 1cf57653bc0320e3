/** The hub and the agents are killed between any two of their effects, all the way from joining to deletion. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { checkpointNames } from '../../src/core/checkpoint.ts'
import { hubNamespace, rbacNames } from '../../src/fleet/names.ts'
import { clusterRoles, namespaces } from '../../src/kube/kinds.ts'
import { bootstrapAccount, bootstrapUser } from '../../src/registration/manifests/bootstrap.ts'
import type { OwnControlPlane } from '../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { accountKubeconfig, prepareHub } from '../support/hub-process.ts'
import { kubeClient } from '../support/kube-client.ts'
import { lanyard } from '../support/lanyard.ts'
import { presentRights } from '../support/membership-scene.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { keepLedger } from './join-ledger.ts'
import { hubKills, noKills, planOf, roundsForAll } from './join-plan.ts'
import type { World } from './join-round.ts'
import { agentNamespaceOf, playRound } from './join-round.ts'
import { supervise } from './supervised.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
/** A token outlives the longest run. */
const tokenSeconds = 24 * 3_600
const patience = { withinMs: 120_000, everyMs: 50 }

/** Most of a start is compiling, and a process that is killed leaves nothing compiled behind: these end by themselves. */
async function compileOnce(t: TestScope): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] = tempDir(t)
  const missing = join(tempDir(t), 'missing')
  for (const command of ['hub', 'agent']) await lanyard(t, [command, '--kubeconfig', missing]).ended
}

/** A hub that lets clusters in by itself, prepared but not started. */
async function prepareWorld(t: TestScope): Promise<World> {
  await compileOnce(t)
  const plane: OwnControlPlane = await startControlPlane(t, {})
  const kube = kubeClient(t, plane.connection())
  const gates = ['--feature-gates', 'ManagedClusterAutoApproval=true']
  const { webhookUrl } = await prepareHub(t, plane, ...gates, '--auto-approved-csr-identities', bootstrapUser)
  const account = { namespace: hubNamespace, name: 'registration-controller-sa' }
  const hub = supervise(t, 'hub', [
    'hub',
    ...['--kubeconfig', await accountKubeconfig(t, plane, kube, account, tokenSeconds)],
    ...['--listen', new URL(webhookUrl).host, '--webhook-url', webhookUrl],
    ...[...gates, '--auto-approved-csr-users', bootstrapUser, '--no-leader-election'],
  ])
  const bootstrapKubeconfig = await accountKubeconfig(t, plane, kube, bootstrapAccount, tokenSeconds)
  return { t, plane, kube, bootstrapKubeconfig, hub, ledger: await keepLedger(t, kube, agentNamespaceOf) }
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
    if (rounds >= roundsForAll) assert.deepEqual([...kills.keys()].sort(), [...checkpointNames].sort())

    assert.deepEqual(world.ledger.contradictions, [])
    const names = (await clusters.list()).items.map(({ metadata }) => metadata.name)
    assert.deepEqual(names, ['bystander'], 'no agent has made its cluster again')
    await clusters.delete('bystander')
    const isGone = async (role: string) => !(await kube.of(clusterRoles).find(role))
    for (const role of [rbacNames.registrationRole, rbacNames.workRole])
      await eventually(`${role} goes with the last cluster`, () => isGone(role), patience)
  },
)
