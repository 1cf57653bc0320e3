import type { Command } from 'commander'
import { describeSession } from './access-describe.ts'
import { openAccess, sameAccessFlags } from './access-server.ts'
import type { EscalationItem, ListOf, SessionAnswer, SessionItem } from './access-words.ts'
import { sessionPath, sessionsPath } from './access-words.ts'
import { formatData } from './output.ts'
import { hintOn, printOn } from './print-on.ts'
import type { Stop } from './stop-signal.ts'
import type { TableColumn } from './table.ts'
import { formatSpan, formatTable } from './table.ts'

export interface ShowOptions {
  output: 'table' | 'json' | 'yaml'
}

export interface ListOptions extends ShowOptions {
  mine?: boolean
  pending?: boolean
  state?: string[]
  cluster?: string
  user?: string
  group?: string
}

/** `lanyard access list`. Without --mine: what waits for the caller, or is otherwise theirs to decide, and their own. */
export async function list(options: ListOptions, command: Command, stop: Stop): Promise<void> {
  const print = printOn(command)
  const { client, deps } = await openAccess(command, stop)
  const state = options.pending ? ['pending'] : (options.state ?? [])
  const query = {
    ...(options.mine ? { mine: 'true' } : { mine: 'true', approver: 'true' }),
    ...(state.length > 0 && { state: state.join(',') }),
    ...(options.cluster !== undefined && { cluster: options.cluster }),
    ...(options.user !== undefined && { user: options.user }),
    ...(options.group !== undefined && { group: options.group }),
  }
  const items = await client.all<SessionItem>(sessionsPath, query)
  if (options.output !== 'table') return print(formatData(options.output, items))
  if (items.length === 0)
    return hintOn(command)(
      'There is no session that you asked for or decide on. Ask for one: lanyard access request --help\n',
    )
  print(formatTable(sessionColumns(deps.clock.now()), items))
}

/** What people ask of a session at a glance. */
export const sessionColumns = (now: Date): readonly TableColumn<SessionItem>[] => [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  { heading: 'STATE', cell: ({ status }) => status?.state || 'New' },
  { heading: 'USER', cell: ({ spec }) => spec.user },
  { heading: 'CLUSTER', cell: ({ spec }) => spec.cluster },
  { heading: 'GROUP', cell: ({ spec }) => spec.grantedGroup },
  { heading: 'TIME', cell: (session) => timeOf(session, now) },
  { heading: 'REASON', cell: ({ spec }) => spec.requestReason },
  {
    heading: 'AGE',
    cell: ({ metadata }) => formatSpan(now.getTime() - new Date(metadata.creationTimestamp ?? now).getTime()),
  },
]

/** What the clock does to it next. */
export function timeOf({ spec, status }: SessionItem, now: Date): string | undefined {
  const until = (time: string | undefined) => time && formatSpan(new Date(time).getTime() - now.getTime())
  switch (status?.state) {
    case 'Pending':
      return status.timeoutAt && `waits ${until(status.timeoutAt)}`
    case 'WaitingForScheduledTime':
      return spec.scheduledStartTime && `in ${until(spec.scheduledStartTime)}`
    case 'Approved':
      return status.expiresAt && `${until(status.expiresAt)} left`
    default:
      return status?.reasonEnded
  }
}

/** `lanyard access show`. */
export async function show(name: string, options: ShowOptions, command: Command, stop: Stop): Promise<void> {
  const print = printOn(command)
  const { client, deps } = await openAccess(command, stop)
  const answer = await client.get<SessionAnswer>(sessionPath(name))
  if (options.output !== 'table') return print(formatData(options.output, answer))
  print(describeSession(answer, deps.clock.now()))
  hintOn(command)(nextSteps(answer, sameAccessFlags(command)))
}

/** The command that comes next, for whoever looks. */
export function nextSteps({ session, approvalMeta = {} }: SessionAnswer, flags: string): string {
  const { name } = session.metadata
  const say = (words: string, verb: string) => `${words}: lanyard access ${verb} ${name}${flags}\n`
  const { state, extension, review } = session.status ?? {}
  if (review && !review.reviewedAt && approvalMeta.isApprover)
    return say('It awaits a review', 'review').replace('\n', ' --verdict justified --comment …\n')
  if (approvalMeta.canApprove && (state === 'Pending' || extension))
    return `${say('You may approve it', 'approve')}${say('or refuse it', 'reject')}`
  if (!approvalMeta.isRequester) return ''
  if (state === 'Pending') return say('You may take it back', 'withdraw')
  return state === 'Approved' || state === 'WaitingForScheduledTime' ? say('When you are done', 'drop') : ''
}

/** `lanyard access escalations`. */
export async function escalations(
  options: ShowOptions & { cluster?: string },
  command: Command,
  stop: Stop,
): Promise<void> {
  const print = printOn(command)
  const { client } = await openAccess(command, stop)
  const query = { ...(options.cluster !== undefined && { cluster: options.cluster }) }
  const answer = await client.get<EscalationItem[] | ListOf<EscalationItem>>('/api/breakglassEscalations', query)
  const items = Array.isArray(answer) ? answer : answer.items
  if (options.output !== 'table') return print(formatData(options.output, items))
  if (items.length === 0)
    return hintOn(command)(
      'There is nothing that you may ask for. `lanyard access whoami` shows the groups that you are in.\n',
    )
  print(formatTable(escalationColumns, items))
  const [first] = items
  const [cluster = 'CLUSTER'] = [...(first?.spec.allowed.clusters ?? []), ...(first?.spec.clusterConfigRefs ?? [])]
  const words = `${cluster.includes('*') ? 'CLUSTER' : cluster} ${first?.spec.escalatedGroup}`
  hintOn(command)(`Ask for one: lanyard access request ${words} --reason …${sameAccessFlags(command)}\n`)
}

export const escalationColumns: readonly TableColumn<EscalationItem>[] = [
  { heading: 'GROUP', cell: ({ spec }) => spec.escalatedGroup },
  {
    heading: 'CLUSTERS',
    cell: ({ spec }) => [...new Set([...(spec.allowed.clusters ?? []), ...(spec.clusterConfigRefs ?? [])])].join(','),
  },
  { heading: 'AT MOST', cell: ({ spec }) => spec.maxValidFor },
  {
    heading: 'APPROVERS',
    cell: ({ spec }) => [...(spec.approvers?.users ?? []), ...(spec.approvers?.groups ?? [])].join(','),
  },
  { heading: 'APPROVALS', cell: ({ spec }) => String(spec.minApprovals ?? 1) },
  { heading: 'REASON', cell: ({ spec }) => (spec.requestReason?.mandatory ? 'needed' : 'optional') },
  { heading: 'EMERGENCY', cell: ({ spec }) => (spec.emergencyBypass?.enabled ? 'yes' : 'no') },
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
]
