import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { isFailure } from '../../src/core/failure.ts'
import { Secret } from '../../src/core/secret.ts'
import { readClaims } from '../../src/fleet/account-token.ts'
import { handoverAccount, handoverSecret, spokeAnnotations, spokeConditions } from '../../src/fleet/spoke/names.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import { secrets, serviceAccounts } from '../../src/kube/kinds.ts'
import { tokenIn } from '../../src/reach/handover/kubeconfig.ts'
import { eventually } from '../support/eventually.ts'
import type { HandoverLedger } from './reach-handover-ledger.ts'
import { damage } from './reach-handover-ledger.ts'
import type { HandoverPlan, Kill, Spoiling } from './reach-handover-plan.ts'
import type { SoakHub } from './soak-hub.ts'
import type { Supervised } from './supervised.ts'

/** What all rounds share. */
export interface HandoverWorld extends SoakHub {
  cluster: string
  /** Of the agent, on its cluster. */
  namespace: string
  /** The same one, started with the offer and without it: only one of them runs. */
  agents: Record<'offering' | 'refusing', Supervised>
  ledger: HandoverLedger
}

/** Several restarts and the pauses between tries included, on a machine that has other work too. */
const convergesMs = 120_000
const waverings = 5
const waverMs = 150

/** The way into a cluster, from the moment it is invited until nothing of it is left. */
export async function playHandoverRound(
  world: HandoverWorld,
  round: number,
  plan: HandoverPlan,
): Promise<Record<string, number>> {
  const { kube, hub, cluster, namespace, ledger } = world
  const { offering, refusing } = world.agents
  let agent = offering
  const configs = kube.of(ClusterConfig.resource, cluster)
  const shelf = kube.of(secrets, cluster)
  const accounts = kube.of(serviceAccounts, namespace)

  async function converges<T>(what: string, probe: () => Promise<T>): Promise<T> {
    const answer = await eventually(
      `round ${round}: ${what}`,
      async () => {
        for (const process of [hub, agent]) process.check()
        assert.deepEqual(ledger.contradictions, [])
        try {
          return { is: await probe() }
        } catch (error) {
          // While the hub is down nobody answers its webhooks.
          if ((error instanceof KubeFailure && error.code >= 500) || isFailure(error)) assert.fail(error.message)
          throw error
        }
      },
      { withinMs: convergesMs, everyMs: 50 },
    )
    return answer.is
  }

  /** Started anew: what is to be passed in this phase must not have been passed in the one before. */
  async function arm({ process, at }: Kill): Promise<void> {
    if (at.length === 0) return
    const armed = process === 'hub' ? hub : agent
    await armed.stop()
    armed.start(at)
  }
  const areKilled = () => {
    for (const { name, ahead } of [hub, agent]) assert.deepEqual(ahead, [], `${name} was not killed yet`)
  }

  const invite = (isWanted: boolean) =>
    converges(isWanted ? 'a way in is wanted' : 'it is wanted no more', () => {
      const annotations = { [spokeAnnotations.reach]: isWanted ? 'true' : null }
      return kube.of(ManagedCluster.resource).patch(cluster, { type: 'merge', body: { metadata: { annotations } } })
    })

  /** The token on the hub: of the account that is there now. */
  async function handedToken(): Promise<string> {
    const [found, account] = await Promise.all([shelf.find(handoverSecret), accounts.find(handoverAccount)])
    const kubeconfig = Buffer.from(found?.data?.['value'] ?? '', 'base64').toString()
    const token = tokenIn(Secret.of(kubeconfig))
    assert.ok(token, 'nothing is handed over')
    assert.equal(readClaims(token)?.uid, account?.metadata.uid)
    return token.reveal()
  }

  /** Not what was found at some time: the hub is asked to look now. */
  async function isReachable(what: string, before = ''): Promise<string> {
    const token = await converges(what, async () => {
      const handed = await handedToken()
      assert.ok(handed !== before, 'it is the same still')
      areKilled()
      return handed
    })
    const askedAt = new Date().toISOString()
    const body = { metadata: { annotations: { [spokeAnnotations.checkRequestedAt]: askedAt } } }
    await converges('it is Ready', async () => {
      const config = await configs.find(cluster)
      assert.ok(config, 'there is no ClusterConfig')
      if (config.metadata.annotations?.[spokeAnnotations.checkRequestedAt] !== askedAt)
        await configs.patch(cluster, { type: 'merge', body })
      assert.equal(config.status?.answeredCheck, askedAt)
      for (const type of [spokeConditions.ready, spokeConditions.permissionsVerified]) {
        const found = findCondition(config.status?.conditions as Condition[] | undefined, type)
        assert.equal(found?.status, 'True', `${found?.reason}: ${found?.message}`)
      }
    })
    return token
  }

  const spoilings: Record<Spoiling, () => Promise<unknown>> = {
    'secret deleted': () => shelf.delete(handoverSecret),
    'secret damaged': () => {
      const data = { value: Buffer.from(damage).toString('base64') }
      return shelf.patch(handoverSecret, { type: 'merge', body: { data } })
    },
    'account deleted': () => accounts.delete(handoverAccount),
  }

  async function endedByCluster(): Promise<void> {
    await offering.stop()
    agent = refusing
    agent.start(plan.withdraw.process === 'agent' ? plan.withdraw.at : [])
    await converges('what it handed over ends', async () => {
      areKilled()
      assert.equal(await accounts.find(handoverAccount), undefined)
      assert.ok(!(await configs.find(cluster)), 'there is a ClusterConfig still')
      assert.ok(!(await shelf.get(handoverSecret)).data?.['value'], 'it is handed over still')
    })
  }

  /** Wanted and not wanted, sooner than anybody can follow. */
  async function wavers(): Promise<void> {
    for (let times = 0; times < waverings; times += 1) {
      for (const isWanted of [false, true]) {
        await invite(isWanted)
        await delay(Math.random() * waverMs)
      }
    }
  }

  const nothingIsLeft = async () => {
    await converges('nothing of it is left', async () => {
      areKilled()
      assert.equal(await accounts.find(handoverAccount), undefined)
      assert.deepEqual(ledger.present(), [])
    })
    ledger.close()
  }

  const phaseMs: Record<string, number> = {}
  async function timed<T>(phase: keyof HandoverPlan, play: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await play()
    } catch (cause) {
      const said = [hub, agent].map(({ name, tail }) => `--- ${name} said last:\n${tail()}`)
      const message = cause instanceof Error ? cause.message : ''
      throw new Error([message, JSON.stringify(plan), ...said].join('\n'), { cause })
    } finally {
      phaseMs[phase] = Math.round(performance.now() - startedAt)
    }
  }

  const first = await timed('invite', async () => {
    ledger.open()
    await arm(plan.invite)
    await invite(true)
    return await isReachable('a way in is handed over')
  })
  await timed('renew', async () => {
    await arm(plan.renew)
    await spoilings[plan.renew.after]()
    if (plan.withdraw.how === 'in haste') await converges('it is killed', async () => areKilled())
    else await isReachable('another one is handed over', first)
  })
  await timed('withdraw', async () => {
    if (plan.withdraw.process === 'hub') await arm(plan.withdraw)
    if (plan.withdraw.how === 'in haste') await wavers()
    if (plan.withdraw.how === 'by the cluster') await endedByCluster()
    else if (plan.withdraw.process === 'agent') await arm(plan.withdraw)
    const isAway = plan.withdraw.how === 'while the agent is away'
    if (isAway) await agent.stop()
    await invite(false)
    if (isAway) agent.start([])
    await nothingIsLeft()
    if (agent === offering) return
    await refusing.stop()
    offering.start([])
  })
  return phaseMs
}
