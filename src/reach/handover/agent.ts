import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../core/backoff.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, isAbort, runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { handoverAccount } from '../../fleet/spoke/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import { informer } from '../../kube/informer.ts'
import { serviceAccounts } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { removeAccount } from './account.ts'
import { isInvited } from './invitation.ts'
import type { ClusterAddress } from './kubeconfig.ts'
import { handoverOffer } from './offer.ts'
import { clearShelf } from './shelf.ts'

export interface HandoverAgentDeps {
  /** The managed cluster. */
  spoke: Kube
  clock: Clock
  random: Random
  log: Log
  checkpoint: Checkpoint
  settings: HandoverAgentSettings
}

export interface HandoverAgentSettings extends ClusterAddress {
  /** Of the account on the managed cluster: that of the agent. */
  namespace: string
  tokenSeconds: number
}

/**
 * The agent's half: an account of few rights on its cluster, whose short-lived tokens it keeps fresh on the hub for as
 * long as the hub wants them. Until then, and ever after, there is no such account.
 */
export const handoverAgent = (deps: HandoverAgentDeps): { on(joined: JoinedHub): Run } => ({
  on(joined) {
    const { cluster } = joined
    const self = informer(joined.kube.of(ManagedCluster.resource), {
      ...deps,
      fieldSelector: `metadata.name=${cluster}`,
    })

    const follow: Run = async (signal) => {
      await self.synced(signal)
      while (!signal.aborted) {
        if (isInvited(self.get(cluster))) {
          const ended: Run = async (stop) => void (await self.until((store) => !isInvited(store.get(cluster)), stop))
          await runTogether(signal, [handoverOffer(deps, joined), ended])
          if (!signal.aborted) deps.log.info({ cluster }, 'hub does not want a way in any more')
        } else {
          const wanted: Run = async (stop) => void (await self.until((store) => isInvited(store.get(cluster)), stop))
          await runTogether(signal, [...staysWithdrawn(deps, signal), wanted])
          if (!signal.aborted) deps.log.info({ cluster }, 'hub wants a way in')
        }
      }
    }
    return (signal) => runTogether(signal, [self.run, steadily(deps, follow)])
  },
})

/** For an agent that offers no way in: what an earlier one of it handed over ends, on its cluster first. */
export const noHandover = (
  deps: Omit<HandoverAgentDeps, 'settings'> & { settings: { namespace: string } },
): { on(joined: JoinedHub): Run } => ({
  on: (joined) =>
    steadily(deps, async (signal) => {
      // Whoever may not even look, as one that was installed before there was this, has made none.
      await withdraw(deps, signal).catch((error: unknown) => {
        if (!isForbidden(error)) throw error
      })
      const self = await joined.kube.of(ManagedCluster.resource).find(joined.cluster, { signal })
      // Also where the account is long gone: the process may have ended between the two.
      if (isInvited(self)) await clearShelf(joined.kube, joined.cluster, signal)
      await aborted(signal)
    }),
})

/**
 * No account, until stopped. One may come late: a request to make it that was given up is carried out all the same.
 * @param signal of what begins to be removed, which is not given up half way
 */
function staysWithdrawn(deps: HandoverAgentDeps, signal: AbortSignal): Run[] {
  const accounts = informer(deps.spoke.of(serviceAccounts, deps.settings.namespace), {
    ...deps,
    fieldSelector: `metadata.name=${handoverAccount}`,
  })
  const wake = wakeUp(deps.clock)
  const remove: Run = async (stop) => {
    using _account = accounts.on(wake.poke)
    while (!stop.aborted) {
      wake.reset()
      await withdraw(deps, signal)
      await wake.wait(undefined, stop)
    }
  }
  return [accounts.run, remove]
}

/** A failure here must not end what else an agent does: it is tried again. */
const steadily =
  ({ clock, random, log }: Pick<HandoverAgentDeps, 'clock' | 'random' | 'log'>, run: Run): Run =>
  async (signal) => {
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        return await run(signal)
      } catch (err) {
        if (isAbort(err, signal)) return
        const nextTryMs = backoffMs(tries, { baseMs: 1_000, maxMs: 60_000 }, random)
        log.warn({ err, nextTryMs }, 'hand-over of a way in failed')
        await sleep(clock, nextTryMs, signal).catch(() => {})
      }
    }
  }

async function withdraw(
  {
    spoke,
    checkpoint,
    log,
    settings,
  }: Pick<HandoverAgentDeps, 'spoke' | 'checkpoint' | 'log'> & {
    settings: { namespace: string }
  },
  signal: AbortSignal,
): Promise<void> {
  if (!(await removeAccount(spoke, settings.namespace, signal))) return
  checkpoint('handover.account-removed')
  log.info({ namespace: settings.namespace }, 'account of the hub on this cluster removed')
}
