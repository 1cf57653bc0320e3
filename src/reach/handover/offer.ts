import { backoffMs } from '../../core/backoff.ts'
import { sleep } from '../../core/clock.ts'
import { keepFresh } from '../../core/keep-fresh.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Keep } from '../../core/pass.ts'
import { reasons } from '../../core/reasons.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { handoverAccount, handoverSecret } from '../../fleet/spoke/names.ts'
import { informer } from '../../kube/informer.ts'
import { secrets, selfSubjectAccessReviews, serviceAccounts } from '../../kube/kinds.ts'
import { ensureAccount, requestToken } from './account.ts'
import type { HandoverAgentDeps } from './agent.ts'
import type { HandedToken, PassFacts } from './shelf.ts'
import { handoverShelf } from './shelf.ts'
import { handoverIssuance } from './token-issuance.ts'

/** While the hub has said that it wants a way in, and not yet given the right to write it. */
const untilAllowed = { baseMs: 200, maxMs: 60_000 }

/** Hands the hub a way into this cluster, and keeps it fresh there until it is told to stop. */
export function handoverOffer(deps: HandoverAgentDeps, joined: JoinedHub): Run {
  const { spoke, clock, random, checkpoint, settings } = deps
  const { kube: hub, cluster } = joined
  const { namespace, tokenSeconds } = settings
  const log = deps.log.child({ cluster, account: handoverAccount })
  const facts: PassFacts = {
    id: `reach/${cluster}`,
    kind: 'reach',
    holder: joined.stanza.server,
    issuer: settings.server,
    keptIn: `secret/${cluster}/${handoverSecret}`,
    state: reasons.PassIssued,
  }
  // What the Secret holds is asked for when it is needed; here only that somebody changed it.
  const shelves = informer(hub.of(secrets, cluster).metadata, {
    ...deps,
    fieldSelector: `metadata.name=${handoverSecret}`,
  })
  const accounts = informer(spoke.of(serviceAccounts, namespace), {
    ...deps,
    fieldSelector: `metadata.name=${handoverAccount}`,
  })

  const freshen: Run = async (signal) => {
    await Promise.all([shelves.synced(signal), accounts.synced(signal)])
    const issuance = handoverIssuance({
      facts,
      isAwaited: () => shelves.get(`${cluster}/${handoverSecret}`) !== undefined,
      async account() {
        const seen = accounts.get(`${namespace}/${handoverAccount}`)
        const { metadata } = await ensureAccount(spoke, namespace, seen, signal)
        if (!seen) checkpoint('handover.account-made')
        return metadata.uid
      },
      async request() {
        const granted = await requestToken(spoke, namespace, tokenSeconds, signal)
        checkpoint('handover.token-received')
        return granted
      },
    })
    const shelf = handoverShelf({ hub, cluster, namespace, address: settings, facts, clock })
    const keep: Keep<HandedToken> = {
      ...shelf,
      async save(given) {
        await shelf.save(given)
        issuance.stored()
        checkpoint('handover.stored')
        log.info({ expiresAt: given.pass.expiresAt, renewAt: given.pass.renewAt }, 'way in handed over')
      },
    }
    const loop = keepFresh({
      issuance,
      keep,
      clock,
      random,
      log,
      report: () => {},
      retry: { baseMs: 1_000, jitter: 0.5, maxMs: Math.min(60_000, (tokenSeconds * 1_000) / 20) },
    })
    using _shelf = shelves.on(loop.poke)
    using _account = accounts.on(loop.poke)
    await loop.run(signal)
  }

  /** Asked, and not tried: what is refused is written down on the hub, and this is no trouble of anybody's. */
  async function allowed(signal: AbortSignal): Promise<void> {
    const resourceAttributes = {
      verb: 'watch',
      group: '',
      resource: 'secrets',
      namespace: cluster,
      name: handoverSecret,
    }
    for (let tries = 0; ; tries += 1) {
      const { status } = await hub.of(selfSubjectAccessReviews).create({ spec: { resourceAttributes } }, { signal })
      if (status?.allowed) return
      await sleep(clock, backoffMs(tries, untilAllowed, random), signal)
    }
  }

  return async (signal) => {
    await allowed(signal)
    await runTogether(signal, [shelves.run, accounts.run, freshen])
  }
}
