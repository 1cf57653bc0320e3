import type { Command } from 'commander'
import type { AccessClient } from './access-client.ts'
import { AccessRefusal } from './access-client.ts'
import { openAccess, sameAccessFlags } from './access-server.ts'
import type { ShowOptions } from './access-show.ts'
import { timeOf } from './access-show.ts'
import { untilDecided } from './access-wait.ts'
import type { SessionAnswer, SessionItem } from './access-words.ts'
import { sessionPath, sessionsPath } from './access-words.ts'
import { failures } from './failures.ts'
import { formatData } from './output.ts'
import { hintOn, printOn } from './print-on.ts'
import type { Stop } from './stop-signal.ts'

export interface RequestOptions extends ShowOptions {
  reason?: string
  /** Seconds. */
  for?: number
  /** RFC 3339. */
  at?: string
  emergency?: boolean
  wait?: boolean
  timeout: number
}

export interface ActOptions extends ShowOptions {
  reason?: string
  for?: number
  verdict?: 'justified' | 'unjustified'
  comment?: string
}

/** `lanyard access request`. */
export async function request(
  cluster: string,
  group: string,
  options: RequestOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  if (options.emergency && !options.reason) throw failures.ACCESS_NO_REASON()
  const print = printOn(command)
  const { client, deps } = await openAccess(command, stop)
  const flags = sameAccessFlags(command)
  const asked = {
    cluster,
    group,
    ...(options.reason !== undefined && { reason: options.reason }),
    ...(options.for !== undefined && { duration: options.for }),
    ...(options.at !== undefined && { scheduledStartTime: options.at }),
    ...(options.emergency && { emergency: true }),
  }
  let session = await asking(client, asked, options)
  const tell = (text: string) => (options.output === 'table' ? print(text) : undefined)
  const hint = (text: string) => (options.output === 'table' ? hintOn(command)(text) : undefined)
  const { name } = session.metadata
  tell(`✔ ${name}: ${wordsOf(session, deps.clock.now())}\n`)
  if (options.wait && session.status?.state === 'Pending') {
    hint(`Waiting for an approval: lanyard access approve ${name}\n`)
    session = await untilDecided(name, options.timeout * 1_000, client, deps)
    tell(`✔ ${name}: ${wordsOf(session, deps.clock.now())}\n`)
  } else if (session.status?.state === 'Pending') hint(`See how it stands: lanyard access show ${name}${flags}\n`)
  if (options.output !== 'table') print(formatData(options.output, session))
}

/** With --wait, a session that is there already is what was asked for: a repeated command goes on waiting. */
async function asking(client: AccessClient, asked: object, { wait = false }: RequestOptions): Promise<SessionItem> {
  try {
    return sessionIn(await client.post(sessionsPath, asked))
  } catch (error) {
    if (wait && error instanceof AccessRefusal && error.status === 409 && error.problem.session)
      return error.problem.session
    throw error
  }
}

export const actions = ['approve', 'reject', 'withdraw', 'drop', 'cancel', 'extend', 'review'] as const
export type ActionName = (typeof actions)[number]

/** What a person does to a session. */
export async function act(
  action: ActionName,
  given: string | undefined,
  options: ActOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  const print = printOn(command)
  const { client, deps } = await openAccess(command, stop)
  const name = given ?? (await theOnlyOne(action, client))
  const session = sessionIn(await client.post(sessionPath(name, action), bodyOf(action, options)))
  if (options.output !== 'table') return print(formatData(options.output, session))
  print(`✔ ${name}: ${wordsOf(session, deps.clock.now(), action)}\n`)
  if (action === 'extend' && session.status?.extension)
    hintOn(command)(`Somebody else approves it: lanyard access approve ${name}\n`)
}

/** The session that must be meant, because there is no other. */
async function theOnlyOne(action: ActionName, client: AccessClient): Promise<string> {
  const state = ownStates[action]
  const query = state === undefined ? { approver: 'true' } : { mine: 'true', state }
  const items = await client.all<SessionItem>(sessionsPath, query)
  const meant = items.filter((session) => state !== undefined || isMeant(action, session))
  const names = meant.map(({ metadata }) => metadata.name)
  const [only, ...others] = names
  if (only === undefined) throw failures.ACCESS_NONE_MEANT({ action })
  if (others.length > 0) throw failures.ACCESS_SEVERAL_MEANT({ action, names: names.join(', ') })
  return only
}

/** Of what people do to sessions of their own: to which. */
const ownStates: Partial<Record<ActionName, string>> = {
  withdraw: 'pending',
  drop: 'pending,approved,waiting',
  extend: 'approved',
}

function isMeant(action: ActionName, { status = {} }: SessionItem): boolean {
  if (action === 'review') return status.review !== undefined && status.review.reviewedAt === undefined
  if (action === 'cancel') return status.state === 'Approved' || status.state === 'WaitingForScheduledTime'
  return status.state === 'Pending' || (status.state === 'Approved' && status.extension !== undefined)
}

/** Those that take nothing are sent nothing. */
function bodyOf(action: ActionName, { reason, for: seconds, verdict, comment }: ActOptions): object | undefined {
  const why = reason === undefined ? {} : { reason }
  switch (action) {
    case 'withdraw':
    case 'drop':
      return undefined
    case 'review':
      return {
        verdict: verdict === 'justified' ? 'Justified' : 'Unjustified',
        ...(comment !== undefined && { comment }),
      }
    case 'cancel':
      return reason === undefined ? undefined : why
    default:
      return { ...why, ...(seconds !== undefined && { duration: seconds }) }
  }
}

/** Of an answer that is the session, or holds it. */
export const sessionIn = (answer: SessionItem | SessionAnswer): SessionItem =>
  'session' in answer ? answer.session : answer

/** How it stands, as a person would say it. */
export function wordsOf(session: SessionItem, now: Date, action?: ActionName): string {
  const { spec, status = {} } = session
  const what = `${spec.grantedGroup} on ${spec.cluster} for ${spec.user}`
  const time = timeOf(session, now)
  const needed = spec.minApprovals ?? 1
  const given = status.approvals?.length ?? 0
  if (action === 'review') return `reviewed: ${status.review?.verdict ?? 'recorded'}`
  switch (status.state) {
    case 'Pending':
      return given > 0 ? `${given} of ${needed} approvals for ${what}` : `asked for ${what}; ${time ?? 'it waits'}`
    case 'Approved':
      if (action === 'extend' && status.extension) return `${status.extension.requestedFor} more asked for; ${time}`
      return `${what} counts, ${time}${status.review && !status.review.reviewedAt ? '; it will be reviewed' : ''}`
    case 'WaitingForScheduledTime':
      return `${what} is approved and begins ${time}`
    default:
      return `${what} is over (${status.state}${time ? `, ${time}` : ''})`
  }
}
