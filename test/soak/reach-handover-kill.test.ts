/** The hub and the agent are killed between any two of their effects for a way in that the agent hands over. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { isTrue } from '../../src/core/conditions.ts'
import { conditions } from '../../src/fleet/names.ts'
import { deployments, tokenReviews } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { agentAccount, agentManifests } from '../../src/registration/manifests/agent.ts'
import { needsControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { accountKubeconfig } from '../support/hub-process.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { keepHandoverLedger } from './reach-handover-ledger.ts'
import type { Kill } from './reach-handover-plan.ts'
import { handoverCheckpoints, handoverPlans, roundsForAll } from './reach-handover-plan.ts'
import type { HandoverWorld } from './reach-handover-round.ts'
import { playHandoverRound } from './reach-handover-round.ts'
import type { SoakHub } from './soak-hub.ts'
import { soakHub } from './soak-hub.ts'
import { supervise } from './supervised.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
const cluster = 'soak-reach'
const namespace = `agent-of-${cluster}`
/** Outlives the longest run. */
const agentTokenSeconds = 24 * 3_600

/** An agent with the rights that its installation gives, and no others. */
async function memberOf(t: TestScope, { plane, kube, bootstrapKubeconfig }: SoakHub) {
  const installed = agentManifests({ namespace, image: 'none', offerReach: true })
  for (const { resource, object } of installed.filter((one) => one.resource !== deployments))
    await kube.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'soak', force: true })
  const account = { namespace, name: agentAccount }
  const args = [
    'agent',
    ...['--kubeconfig', await accountKubeconfig(t, plane, kube, account, agentTokenSeconds)],
    ...['--namespace', namespace, '--spoke-cluster-name', cluster],
    ...['--bootstrap-kubeconfig', bootstrapKubeconfig, '--hub-kubeconfig-dir', join(tempDir(t), 'hub')],
    ...['--no-leader-election', '--create-retry-period', '1s', '--resync-period', '2s'],
  ]
  const offer = ['--offer-reach', '--reach-token-expiration-seconds', '600']
  return {
    offering: supervise(t, 'agent', [...args, ...offer]),
    refusing: supervise(t, 'agent without an offer', args),
  }
}

async function prepareWorld(t: TestScope): Promise<HandoverWorld> {
  const prepared = await soakHub(t)
  const { kube, hub } = prepared
  const agents = await memberOf(t, prepared)
  hub.start([])
  agents.offering.start([])
  await eventually(
    `${cluster} joins`,
    async () => {
      for (const process of [hub, agents.offering]) process.check()
      const found = await kube.of(ManagedCluster.resource).find(cluster)
      return isTrue(found?.status?.conditions, conditions.available)
    },
    { withinMs: 120_000 },
  ).catch((error: Error) => {
    throw new Error([error.message, hub.tail(), agents.offering.tail()].join('\n'))
  })
  const ledger = await keepHandoverLedger(t, kube)
  return { ...prepared, cluster, namespace, agents, ledger }
}

async function isAccepted(kube: Kube, token: string): Promise<boolean> {
  const { status } = await kube.of(tokenReviews).create({ spec: { token } })
  return status?.authenticated === true
}

test(
  `hub and agent killed at every checkpoint of a handed over way in, ${rounds} rounds: it is Ready while it is wanted, and then nothing of it is left`,
  needsControlPlane,
  async (t) => {
    const world = await prepareWorld(t)
    const { kube, hub, agents, ledger } = world
    const killed = ({ process, at }: Kill) => `${process} at ${at.join(', ') || 'nothing'}`
    for (const [index, plan] of handoverPlans(rounds).entries()) {
      const phaseMs = await playHandoverRound(world, index + 1, plan)
      const { invite, renew, withdraw } = plan
      t.diagnostic(
        [
          `round ${index + 1}: invited in ${phaseMs['invite']} ms, killed ${killed(invite)}`,
          `${renew.after}, renewed in ${phaseMs['renew']} ms, killed ${killed(renew)}`,
          `withdrawn ${withdraw.how} in ${phaseMs['withdraw']} ms, killed ${killed(withdraw)}`,
        ].join('; '),
      )
    }
    const kills = new Map<CheckpointName, number>()
    for (const name of [hub, ...Object.values(agents)].flatMap(({ killedAt }) => killedAt))
      kills.set(name, (kills.get(name) ?? 0) + 1)
    for (const [name, times] of [...kills].sort()) t.diagnostic(`${name}: killed ${times} times`)
    if (rounds >= roundsForAll) assert.deepEqual([...kills.keys()].sort(), [...handoverCheckpoints].sort())

    assert.ok(ledger.tokens.size >= rounds, `only ${ledger.tokens.size} tokens were handed over`)
    // An API server remembers for ten seconds whom it let in.
    await eventually('no token that was handed over is accepted', async () => {
      const accepted = await Promise.all([...ledger.tokens].map((token) => isAccepted(kube, token)))
      return !accepted.includes(true)
    })
    assert.deepEqual(ledger.contradictions, [])
  },
)
