import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { startEmbedded } from '../../src/embedded/index.ts'
import { addonAccounts } from '../../src/fleet/names.ts'
import { serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { createGuardedDir } from '../../test/support/control-plane/guard.ts'
import { cpuMsOf } from '../embedded/usage.ts'
import type { Contestant } from '../join/contestants.ts'
import type { HubScene, Launch } from '../join/hub-scene.ts'
import { startHubScene } from '../join/hub-scene.ts'
import { countBy, kindOf, requestsOf, timed } from '../join/join-turn.ts'
import { residentBytes, until, untilCalm } from '../join/processes.ts'
import { accept, approve, ask, certificates, connectAndReport, each, newAgents } from '../join/simulated-agents.ts'
import { inParallel } from '../shared/timing.ts'
import type { BenchCluster } from './fleet.ts'
import { startCluster } from './fleet.ts'

/** What one thing that happens to all add-ons came to. */
export interface Stage {
  /** Until the last add-on has its token in its Secret. */
  ms: number
  hubCpuMs: number
  hubRss: number
  /** What the hub asked of the API server, per add-on; watches not counted. */
  requests: number
}

export interface AddonAnswer {
  ready: Stage
  /** Every account deleted: the hub makes them again, and every token is asked for again. */
  accountsLost: Stage
  /** Every Secret deleted: every token is asked for again. */
  secretsLost: Stage
}

export interface AddonTurn {
  launch: Launch
  clusters: number
  addons: number
  say(line: string): void
}

const patienceMs = 600_000

/** Add-ons with tokens on clusters that have joined, and then a refresh of all of them, forced in two ways. */
export async function addonTurn(contestant: Contestant, turn: AddonTurn): Promise<AddonAnswer> {
  const { clusters, addons, say } = turn
  await using scene = await startHubScene(contestant, { autoApproval: false, launch: turn.launch })
  say(`${clusters} clusters join`)
  await using spoke = await ownSpoke()
  const fleet = await joined(scene, spoke.kube, clusters)
  try {
    const names = Array.from({ length: addons }, (_, number) => `addon${number}`)
    const all = fleet.flatMap((cluster) => names.map((addon) => ({ cluster, addon })))
    const accounts = new Map<string, string>()
    /** Until each has a token, and none of an account that it had before. */
    const allHave = async (isAnother: boolean) => {
      for (const { cluster, addon } of all) {
        const key = `${cluster.cluster}/${addon}`
        const uid = await cluster.accountOf(addon)
        if (uid === undefined || (isAnother && uid === accounts.get(key))) return false
      }
      return true
    }
    const stage = async (what: string, act: () => Promise<unknown>, isAnother: boolean): Promise<Stage> => {
      await untilCalm([scene.hub.pid, ...Object.values(scene.plane.pids)], 30_000)
      say(what)
      const startedAt = new Date()
      const cpuBefore = cpuMsOf([scene.hub.pid])
      const ms = await timed(async () => {
        await act()
        await until(what, () => allHave(isAnother), { withinMs: patienceMs, everyMs: 50, by: scene.hub })
      })
      for (const { cluster, addon } of all)
        accounts.set(`${cluster.cluster}/${addon}`, (await cluster.accountOf(addon)) ?? '')
      await untilCalm([scene.hub.pid])
      const asked = requestsOf(await scene.plane.auditEvents(), scene.hubUser, startedAt)
      if (process.env['BENCH_REQUESTS']) say(JSON.stringify(countBy(asked, kindOf), undefined, 1))
      return {
        ms,
        hubCpuMs: cpuMsOf([scene.hub.pid]) - cpuBefore,
        hubRss: residentBytes(scene.hub.pid).now,
        requests: asked.length / all.length,
      }
    }
    const each50 = (act: (one: (typeof all)[number]) => Promise<unknown>) =>
      inParallel(all.length, 50, (number) => act(all[number] as (typeof all)[number]))

    const ready = await stage(
      `${all.length} add-ons get their tokens`,
      () => each50((one) => enable(scene, one)),
      false,
    )
    const accountsLost = await stage(
      'every account is deleted',
      () =>
        each50(({ cluster: { cluster }, addon }) =>
          scene.admin.of(serviceAccounts, cluster).delete(addonAccounts(cluster, addon)[0]),
        ),
      true,
    )
    const secretsLost = await stage(
      'every Secret is deleted',
      () => Promise.all(fleet.map((cluster) => cluster.loseSecrets(names))),
      false,
    )
    return { ready, accountsLost, secretsLost }
  } finally {
    await Promise.all(fleet.map((cluster) => cluster.stop()))
  }
}

async function joined(scene: HubScene, spoke: Kube, count: number): Promise<BenchCluster[]> {
  const agents = await newAgents('cluster', count)
  await each(agents, (agent) => ask(scene, agent))
  await each(agents, (agent) => approve(scene, agent))
  const signed = await certificates(scene, agents)
  await each(agents, (agent) => accept(scene, agent))
  await each(agents, (agent) => connectAndReport(scene, agent, signed.get(agent.cluster) ?? ''))
  return await Promise.all(agents.map((agent) => startCluster(scene, spoke, agent, signed.get(agent.cluster) ?? '')))
}

async function ownSpoke(): Promise<{ kube: Kube } & AsyncDisposable> {
  const dir = createGuardedDir()
  const plane = await startEmbedded({ dir: dir.path, clock: systemClock, random: systemRandom, log: silentLog })
  return {
    kube: plane.kube,
    async [Symbol.asyncDispose]() {
      await plane.close()
      dir.remove()
    },
  }
}

/** As an administrator and the add-on's own controller would. */
async function enable(
  { admin }: HubScene,
  { cluster, addon }: { cluster: BenchCluster; addon: string },
): Promise<void> {
  const addons = admin.of(ManagedClusterAddOn.resource, cluster.cluster)
  await addons.create({ metadata: { name: addon }, spec: {} })
  const body = { status: { namespace: cluster.cluster, registrations: [{ type: 'kubeClient' }] } }
  await addons.patch(addon, { type: 'merge', body }, { subresource: 'status' })
}
