import type { SessionAnswer } from './access-words.ts'
import { ago, factLines, left, section } from './description.ts'

/** A session for people: what was asked, what became of it, and what happened to it. */
export function describeSession({ session }: Pick<SessionAnswer, 'session'>, now: Date): string {
  const { spec, status = {}, metadata } = session
  const since = (time: string | undefined) => time && `${time} (${ago(new Date(time), now)})`
  const until = (time: string | undefined) => time && `${time} (${left(new Date(time), now)})`
  const { extension, review } = status
  const isRunning = status.state === 'Approved'
  const facts: (readonly [string, string | undefined])[] = [
    ['Name', metadata.name],
    ['State', status.state || 'New'],
    ['User', spec.user],
    ['Cluster', spec.cluster],
    ['Group', spec.grantedGroup],
    ['Reason', spec.requestReason],
    ['Asked for', since(metadata.creationTimestamp)],
    ['Emergency', spec.emergency ? 'yes: before anybody approved' : undefined],
    ['Begins', until(isRunning ? undefined : spec.scheduledStartTime)],
    ['At most', status.grantedFor === undefined ? spec.maxValidFor : undefined],
    ['Approved for', status.grantedFor],
    ['Waits until', status.state === 'Pending' ? until(status.timeoutAt) : undefined],
    ['Approvals', approvalsOf(session)],
    ['Approved', since(status.approvedAt)],
    ['Ends', isRunning ? until(status.expiresAt) : undefined],
    ['Unused ends it', spec.idleTimeout],
    ['Last used', since(status.lastActivity)],
    ['More time', extension && `${extension.requestedFor} asked for, waits until ${until(extension.timeoutAt)}`],
    ['Review', review && reviewOf(review, until)],
    ['Ended', status.reasonEnded],
    ['Kept until', status.retainedUntil],
  ]
  return `${factLines(facts.filter(([, value]) => value !== undefined && value !== ''))}${history(session, now)}`
}

function approvalsOf({ spec, status = {} }: SessionAnswer['session']): string | undefined {
  const needed = spec.minApprovals ?? 1
  const given = (status.approvals ?? []).map(({ approver, validFor, reason }) =>
    [approver, validFor && `for ${validFor}`, reason && `"${reason}"`].filter(Boolean).join(' '),
  )
  if (given.length === 0) return status.state === 'Pending' ? `none of ${needed}` : undefined
  return `${given.join(', ')}${given.length < needed ? ` (${given.length} of ${needed})` : ''}`
}

const reviewOf = (
  { dueAt, verdict, reviewer, comment }: NonNullable<NonNullable<SessionAnswer['session']['status']>['review']>,
  until: (time: string) => string | undefined,
): string =>
  verdict === undefined
    ? `due ${until(dueAt)}`
    : `${verdict}, by ${reviewer}${comment === undefined ? '' : `: ${comment}`}`

const history = ({ status = {} }: SessionAnswer['session'], now: Date): string =>
  section('History', status.history ?? [], [
    { heading: 'WHEN', cell: ({ at }) => ago(new Date(at), now) },
    { heading: 'WHAT', cell: ({ transition }) => transition },
    { heading: 'BY', cell: ({ by }) => by ?? 'the hub' },
    { heading: 'REASON', cell: ({ reason }) => reason },
  ])
