import { isDeepStrictEqual } from 'node:util'
import type { Condition } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { keepFresh } from '../../../core/keep-fresh.ts'
import type { Keep } from '../../../core/pass.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { Secret } from '../../../core/secret.ts'
import { formatHubKubeconfig } from '../../../fleet/hub-stanza.ts'
import { addonAccounts, addonConditions, labels } from '../../../fleet/names.ts'
import type { Credential, CredentialOptions } from '../driver.ts'
import type { Infrastructure } from './accounts.ts'
import { accountOf, infrastructureOf } from './accounts.ts'
import { tokenConditions } from './conditions.ts'
import { refreshShare, tokenIssuance } from './issuance.ts'
import { tokenMetrics } from './metrics.ts'
import { requestToken } from './request.ts'
import { runningTime } from './running-time.ts'
import type { PassFacts, TokenMaterial } from './token-secret.ts'
import { tokenSecretKeep } from './token-secret.ts'

const yearSeconds = 365 * 24 * 3_600

/**
 * The longest pause between two tries: a short token is tried for often before it ends, and a fleet with long ones does
 * not press upon a hub that has just come back.
 */
export const longestPauseMs = (lifeMs: number): number => Math.min(300_000, Math.max(5_000, lifeMs / 20))

/** Gets the token of an add-on's account, keeps it in the add-on's Secret and replaces it in time. */
export function tokenCredential(options: CredentialOptions): Credential {
  const { item, joined, spoke, clock, random, log, checkpoint, settings } = options
  const { cluster, addon, secret } = item
  const account = accountOf(item.subject.user, item) ?? addonAccounts(cluster, addon)[0]
  const seconds = settings.tokenExpirationSeconds || yearSeconds
  const metrics = tokenMetrics(options.metrics, clock)
  const infrastructure = () => infrastructureOf(options.addon(), item)
  const facts: PassFacts = {
    id: `addon/${cluster}/${addon}/${secret.name}`,
    kind: 'addon',
    holder: `${cluster}/${addon}`,
    issuer: joined.stanza.server,
    keptIn: `secret/${secret.namespace}/${secret.name}`,
    state: coreReasons.PassIssued,
  }
  let stop: AbortSignal | undefined
  let held: TokenMaterial | undefined
  let lifeMs = seconds * 1_000
  let told: string | undefined
  /** The hub failed: before the pause is over, only another word of its about the account is worth a try. */
  let pause: { readonly until: Date | undefined; readonly infrastructure: Infrastructure } | undefined

  const counted = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (!stop?.aborted) metrics.failed(error)
      throw error
    }
  }

  const issuance = tokenIssuance({
    account,
    facts,
    infrastructure,
    lookAgainMs: settings.resyncMs,
    async request() {
      const wish = { hub: joined.kube, cluster, addon, account, seconds, signal: stop }
      const granted = await counted(() => requestToken(wish))
      checkpoint('addon-token.requested')
      return granted
    },
  })

  const kept = tokenSecretKeep({
    kube: spoke,
    secret,
    labels: { [labels.addonName]: addon },
    cluster,
    account,
    kubeconfig: Secret.of(formatHubKubeconfig(joined.stanza, 'token')),
    facts,
    clock,
  })
  const keep: Keep<TokenMaterial> = {
    ...kept,
    async load() {
      const loaded = await kept.load()
      held = loaded.kept?.material
      if (!loaded.kept || !running.isDue(loaded.kept.pass.fingerprint)) return loaded
      return { ...loaded, kept: { ...loaded.kept, pass: { ...loaded.kept.pass, renewAt: clock.now() } } }
    },
    async save(given) {
      await counted(() => kept.save(given))
      issuance.stored()
      held = given.material
      checkpoint('addon-token.stored')
    },
  }

  const loop = keepFresh<TokenMaterial>({
    issuance,
    keep,
    clock,
    random,
    log: log.child({ addon, account }),
    window: { from: refreshShare, to: refreshShare },
    retry: {
      baseMs: 1_000,
      jitter: 0.5,
      get maxMs() {
        return longestPauseMs(lifeMs)
      },
    },
    report(report) {
      // What fails because it is to end is nobody's trouble.
      if (stop?.aborted) return
      const { pass } = report
      if (pass?.expiresAt) lifeMs = pass.expiresAt.getTime() - pass.issuedAt.getTime()
      metrics.expires(cluster, addon, pass?.expiresAt)
      running.follow(report)
      pause =
        report.state === coreReasons.IssuanceFailed
          ? { until: report.nextAt, infrastructure: infrastructure() }
          : undefined
      const conditions = tokenConditions(report, infrastructure(), held?.expiresAt)
      told = conditions.find(({ status }) => status === 'True')?.message
      options.report({
        conditions,
        ...(pass && report.usable && { pass: { ...pass, ...(held && { expiresAt: held.expiresAt }) } }),
      })
    },
  })

  const running = runningTime(clock, loop.poke)

  /** The hub shows what it was last told. */
  function noticeReport(): void {
    const list = options.addon()?.status?.conditions as Condition[] | undefined
    const isShown = addonConditions.tokenRefreshed.every((type) => findCondition(list, type)?.message === told)
    if (told === undefined || !isShown) return
    told = undefined
    checkpoint('addon-token.reported')
  }

  return {
    async run(signal) {
      stop = signal
      try {
        await loop.run(signal)
      } finally {
        running.stop()
        metrics.expires(cluster, addon, undefined)
      }
    },
    poke() {
      noticeReport()
      const isPausing = pause?.until !== undefined && clock.now() < pause.until
      if (!isPausing || !isDeepStrictEqual(pause?.infrastructure, infrastructure())) loop.poke()
    },
  }
}
