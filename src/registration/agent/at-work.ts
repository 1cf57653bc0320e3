import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../core/backoff.ts'
import { sleep } from '../../core/clock.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import { isTrue } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, isAbort, runTogether } from '../../core/lifecycle.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { conditions } from '../../fleet/names.ts'
import { isConflict } from '../../kube/failures.ts'
import { informer } from '../../kube/informer.ts'
import { reasons } from '../reasons.ts'
import { clientConfigs } from './bootstrap.ts'
import { certificateReport } from './certificate-report.ts'
import type { AgentDeps, MemberDeps } from './deps.ts'
import type { StateBoard } from './state.ts'

export interface AtWorkOptions {
  deps: AgentDeps
  cluster: string
  joined: JoinedHub
  board: StateBoard
  member(deps: MemberDeps): Run
  alongside(joined: JoinedHub): Run
  /** What the hub should be told of the certificate. */
  wanted(): ConditionReport | undefined
  onDenied(): void
  onRenewed(at: Date): void
}

/** What an agent does on a hub that has accepted it. */
export function atWork(options: AtWorkOptions): { run: Run; pokeReport(): void } {
  const { deps, cluster, board, joined } = options
  const { kube: hub } = joined
  const { clock, random, log, settings } = deps
  const self = informer(hub.of(ManagedCluster.resource), { ...deps, fieldSelector: `metadata.name=${cluster}` })
  const report = certificateReport({
    ...deps,
    cluster,
    hub,
    self,
    wanted: options.wanted,
    onWritten: () => deps.checkpoint('join.reported'),
  })
  const member = options.member({
    ...deps,
    cluster,
    hub,
    hubUrl: joined.stanza.server,
    self,
    settings: settings.member,
    onRenewed: options.onRenewed,
  })

  /** A failure of the work must not end the agent: it starts anew. */
  const persistent =
    (run: Run): Run =>
    async (signal) => {
      for (let tries = 0; !signal.aborted; tries += 1) {
        try {
          await run(signal)
        } catch (err) {
          if (isAbort(err, signal)) return
          log.error({ err }, 'work of a joined agent failed')
        }
        const pauseMs = backoffMs(tries, { baseMs: 1_000, maxMs: 60_000 }, random)
        await sleep(clock, pauseMs, signal)
      }
    }

  /** The rights in the namespace of the cluster come with this condition, a moment after the acceptance itself. */
  const onceAccepted =
    (run: Run): Run =>
    async (signal) => {
      await self.until(() => isTrue(self.get(cluster)?.status?.conditions, conditions.accepted), signal)
      await run(signal)
    }

  /** URLs that came into the settings after the cluster was created. By update: an agent may not patch its spec. */
  const addUrls: Run = async (signal) => {
    const clusters = hub.of(ManagedCluster.resource)
    for (let tries = 0; settings.externalServerUrls.length > 0; tries += 1) {
      try {
        const found = await clusters.find(cluster, { signal })
        const there = found?.spec?.managedClusterClientConfigs ?? []
        const managedClusterClientConfigs = clientConfigs(there, settings.externalServerUrls)
        if (found && JSON.stringify(managedClusterClientConfigs) !== JSON.stringify(there))
          await clusters.update({ ...found, spec: { ...found.spec, managedClusterClientConfigs } }, { signal })
        break
      } catch (err) {
        if (isAbort(err, signal)) return
        const nextTryMs = backoffMs(tries, { baseMs: 500, maxMs: 60_000 }, random)
        if (!isConflict(err)) log.warn({ err, cluster, nextTryMs }, 'addresses of the cluster not told to the hub')
        await sleep(clock, nextTryMs, signal)
      }
    }
    await aborted(signal)
  }

  return {
    pokeReport: report.poke,
    async run(signal) {
      using _ = self.on(({ type, object }) => {
        if (type !== 'deleted' && object.spec?.hubAcceptsClient)
          return board.set({ phase: 'joined', trouble: undefined })
        const message = `the hub took its acceptance of the cluster ${cluster} back; the agent waits for it to accept again`
        board.set({ phase: 'awaiting', trouble: { reason: reasons.AwaitingAcceptance, message } })
        if (type !== 'deleted') options.onDenied()
      })
      await runTogether(signal, [
        self.run,
        report.run,
        persistent(member),
        persistent(onceAccepted(options.alongside(joined))),
        addUrls,
      ])
    },
  }
}
