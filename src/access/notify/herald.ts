import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { SessionHistoryEntry } from '../../apis/breakglass/session-status-fields.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { deadline } from '../../kube/deadline.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Key } from '../../kube/objects.ts'
import { keyOf, splitKey } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { Audit } from '../audit/contract.ts'
import { groupPrefixesOf } from '../group-prefixes.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { Escalation, Session } from '../sessions/contract.ts'
import type { AccessView } from '../view.ts'
import { auditEventOf, gapEventOf, missingOf } from './audit-event.ts'
import type { Channel, Notice } from './contract.ts'
import { failures } from './failures.ts'
import { detailOf } from './mail-channel.ts'
import { noteTold } from './note-told.ts'
import { noticeOf } from './notice-of.ts'
import { reasons } from './reasons.ts'
import { isAlarm } from './transitions.ts'

export interface HeraldDeps extends AccessHubDeps {
  view: AccessView
  audit: Audit
}

/** Which channels a notice goes by. */
export type ChannelsFor = (notice: Notice, escalation: Escalation | undefined, cluster: string) => readonly Channel[]

/** All tries of one notice together. */
const noticeMs = 30_000

/**
 * Tells the audit and people of what is new in the history of a session, then writes down how far it got. An audit sink
 * that does not have it yet is waited for, with pauses that grow; people are not told again for it.
 */
export function heraldController(deps: HeraldDeps, channelsFor: ChannelsFor): Controller {
  const { kube, view, checkpoint } = deps
  const { sessions } = view
  const note = (session: Session, seq: number) =>
    noteTold(kube, session, seq).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  /** How far people were told, of sessions that wait for the audit. Lost with the process: people see by its id what comes twice. */
  const noticed = new Map<Key, { readonly uid: string; readonly seq: number }>()
  return controller(
    'herald',
    async (key, { signal }) => {
      if (newEntries(sessions.get(key)).length === 0) {
        noticed.delete(key)
        return done
      }
      const { namespace, name } = splitKey(key)
      // Read anew: the watch may not yet show what was written down last, and people would be told twice.
      const session = await kube.of(BreakglassSession.resource, namespace).find(name, { signal })
      const entries = newEntries(session)
      if (!session || entries.length === 0) return done
      const { uid } = session.metadata
      const recorded = surelyUpTo(session, entries, deps.audit)
      recorded.catch(() => {})
      const noticedUpTo = () => {
        const { uid: of, seq = 0 } = noticed.get(key) ?? {}
        return of === uid ? seq : 0
      }
      for (const entry of entries) {
        if (noticedUpTo() >= entry.seq) continue
        try {
          await notify(session, entry, deps, channelsFor, signal)
        } catch (error) {
          // Of those before it people were told: whoever goes on after a stop is not to tell them again.
          const seq = noticedUpTo() > 0 ? await recorded : undefined
          if (seq !== undefined) await note(session, Math.min(seq, noticedUpTo()))
          throw error
        }
        noticed.set(key, { uid, seq: entry.seq })
      }
      const seq = await recorded
      checkpoint('access.herald-told')
      if (seq !== undefined) await note(session, seq)
      checkpoint('access.herald-noted')
      if (seq !== entries.at(-1)?.seq) throw failures.NOTICE_AUDIT_WAITS({ session: name })
      noticed.delete(key)
      return done
    },
    {
      ...deps,
      // Whoever waits for a mail server that does not answer holds up its own session only.
      workers: 64,
      deadlineMs: 600_000,
      watches: [watching(sessions, keyOf, { when: changesOf(({ status }) => status?.history) })],
    },
  )
}

const newEntries = (session: Session | undefined): readonly SessionHistoryEntry[] =>
  (session?.status?.history ?? []).filter(({ seq }) => seq > (session?.status?.told ?? 0))

/** The newest entry that the audit has for certain, with all before it. All are offered before one is waited for. */
async function surelyUpTo(
  session: Session,
  entries: readonly SessionHistoryEntry[],
  audit: Audit,
): Promise<number | undefined> {
  const missing = missingOf(session)
  const gap = missing ? audit.recordSurely(gapEventOf(session, missing)) : Promise.resolve(true)
  const [isGapTold, ...areTold] = await Promise.all([
    gap,
    ...entries.map((entry) => audit.recordSurely(auditEventOf(session, entry))),
  ])
  const count = !isGapTold ? 0 : areTold.includes(false) ? areTold.indexOf(false) : entries.length
  return entries[count - 1]?.seq
}

async function notify(
  session: Session,
  entry: SessionHistoryEntry,
  deps: HeraldDeps,
  channelsFor: ChannelsFor,
  signal: AbortSignal,
): Promise<void> {
  const escalation = escalationOf(session, deps.view)
  const configs = deps.spokeView.configs.byIndex('name', session.spec.cluster)
  const cluster = configs.length === 1 ? configs[0] : undefined
  const settings = deps.settings()
  const { isOnly: isOnlyProvider } = groupPrefixesOf(undefined, settings, deps.spokeView.providers.list())
  const notice = noticeOf(session, entry, { escalation, cluster, settings, isOnlyProvider })
  const channels = channelsFor(notice, escalation, session.spec.cluster)
  const unheard = isAlarm(entry.transition) ? whyUnheard(notice, channels) : undefined
  if (unheard !== undefined) say(session, notice, failures.NOTICE_NOBODY({ why: unheard }), 'to its approvers', deps)
  await Promise.all(channels.map((channel) => sendOrSay(session, notice, channel, deps, signal)))
}

/** Why an alarm reaches no approver by name. */
function whyUnheard({ recipients }: Notice, channels: readonly Channel[]): string | undefined {
  if (channels.length === 0 && recipients.length > 0) return 'there is neither a MailProvider nor another way to tell'
  return recipients.length === 0 ? 'no approver has a mail address that is known here' : undefined
}

async function sendOrSay(
  session: Session,
  notice: Notice,
  channel: Channel,
  deps: HeraldDeps,
  stop: AbortSignal,
): Promise<void> {
  const { clock, metrics } = deps
  const total = metrics.counter('lanyard_access_notices_total', 'Notices of sessions, by what became of them', {
    outcome: ['sent', 'failed'],
  })
  const tooLate = () => failures.NOTICE_TOO_LATE({ seconds: noticeMs / 1_000 })
  using limit = deadline(clock, noticeMs, tooLate, stop)
  try {
    await channel.send(notice, limit.signal)
    total.inc({ outcome: 'sent' })
  } catch (error) {
    stop.throwIfAborted()
    total.inc({ outcome: 'failed' })
    say(session, notice, error, `by ${channel.name}`, deps)
  }
}

/** That somebody could not be told is itself told, where the session is looked at. It holds up nothing. */
function say(session: Session, { transition }: Notice, error: unknown, how: string, { events, log }: HeraldDeps): void {
  const { namespace, name } = session.metadata
  log.warn({ err: error, namespace, name, how, transition }, 'notice not delivered')
  const message = `${transition} was not told ${how}: ${detailOf(error)}`
  events.record(BreakglassSession.resource, session, { type: 'Warning', reason: reasons.NoticeFailed, message })
}

/** The owner; of a session without one, the escalation that it names. */
function escalationOf({ metadata, spec }: Session, { escalations }: AccessView): Escalation | undefined {
  const owner = metadata.ownerReferences?.find(({ controller: isController }) => isController)
  const name = owner?.name ?? spec.escalation
  const found = name === undefined ? undefined : escalations.get(`${metadata.namespace}/${name}`)
  return owner && found?.metadata.uid !== owner.uid ? undefined : found
}
