import type { Notice, Recipient } from './contract.ts'

/** What a notice is in words. What people wrote is data: escaped where it is shown, never stripped where it came in. */
const headlines: Readonly<Record<string, string>> = {
  requested: '{user} asks for {group} on {cluster}',
  'approval-recorded': 'one approval more for {user}: {group} on {cluster}',
  approved: 'approved: {group} on {cluster}',
  scheduled: 'approved for later: {group} on {cluster}',
  activated: 'begun: {group} on {cluster}',
  rejected: 'rejected: {group} on {cluster}',
  withdrawn: '{user} no longer asks for {group} on {cluster}',
  dropped: '{user} gave back {group} on {cluster}',
  canceled: 'ended by an approver: {group} on {cluster}',
  'timed-out': 'nobody approved in time: {group} on {cluster}',
  expired: 'ended: {group} on {cluster}',
  'idle-expired': 'ended for want of use: {group} on {cluster}',
  ended: 'ended: {group} on {cluster}',
  'extension-requested': '{user} asks for more time with {group} on {cluster}',
  'extension-rejected': 'no more time: {group} on {cluster}',
  'extension-timed-out': 'nobody granted more time: {group} on {cluster}',
  extended: 'more time: {group} on {cluster}',
  emergency: 'EMERGENCY: {user} took {group} on {cluster} without approval',
  reviewed: 'reviewed: {group} on {cluster}',
  'review-overdue': 'OVERDUE: nobody reviewed what {user} did with {group} on {cluster}',
}

export function headlineOf({ transition, session }: Notice): string {
  const pattern = headlines[transition] ?? `${transition}: {user}, {group} on {cluster}`
  const { user, group, cluster } = session
  const words: Readonly<Record<string, string>> = { user, group, cluster }
  return oneLine(pattern.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? ''))
}

/** Label and text, in the order they are shown. */
export function factsOf(notice: Notice, to?: Recipient): [label: string, text: string][] {
  const { session, by, reason, command, link } = notice
  const facts: [string, string | undefined][] = [
    ['Session', session.name],
    ['Cluster', session.cluster],
    ['Group', session.group],
    ['User', session.user],
    ['State', session.state],
    ['Why it is asked for', session.requestReason],
    ['By', by],
    ['Reason', reason === session.requestReason ? undefined : reason],
    ['Begins', session.scheduledStartTime],
    ['Ends', session.expiresAt],
    ['To be reviewed until', session.reviewDueAt],
    ['You may approve as a member of', to && to.groups.length > 0 ? to.groups.join(', ') : undefined],
    ['On the command line', command],
    ['On the web', link],
  ]
  return facts.flatMap(([label, text]) => (text === undefined || text === '' ? [] : [[label, text]]))
}

export interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export function letterOf(notice: Notice, to: Recipient): Letter {
  const subject = `[lanyard] ${headlineOf(notice)}`
  const facts = factsOf(notice, to)
  const text = [headlineOf(notice), '', ...facts.map(([label, value]) => `${label}: ${indented(value)}`), ''].join('\n')
  const rows = facts.map(
    ([label, value]) => `<tr><th align="left">${escapeHtml(label)}</th><td>${cell(value, notice)}</td></tr>`,
  )
  const html = `<p>${escapeHtml(headlineOf(notice))}</p>\n<table>\n${rows.join('\n')}\n</table>\n`
  return { subject: subject.slice(0, 200), text, html }
}

/** As Slack, Mattermost and Teams take it. Only a link of our own is one, and nobody is called by name. */
export const chatTextOf = (notice: Notice): string =>
  [
    escapeChat(headlineOf(notice)),
    ...factsOf(notice).map(([label, value]) =>
      value === notice.link ? `${label}: ${value}` : `${label}: ${escapeChat(indented(value))}`,
    ),
  ].join('\n')

const chatEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const nothingToSee = '\u200b'
/**
 * `<` would begin a link or a mention, `]` end the text of a Markdown link, `@` where no address goes on call people.
 * What nobody sees comes between, and not a backslash: not every chat knows that one.
 */
const escapeChat = (text: string): string =>
  text
    .replace(/[&<>]/g, (character) => chatEntities[character] ?? '')
    .replace(/\]|(?<![\p{L}\p{N}_])@/gu, (character) => `${character}${nothingToSee}`)

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Only a link of our own is one; what people wrote is text. */
const cell = (value: string, { link }: Notice): string =>
  value === link
    ? `<a href="${escapeHtml(value)}">${escapeHtml(value)}</a>`
    : escapeHtml(value).replace(/\r?\n/g, '<br>')

/** A reason of several lines must not look like a fact of its own. */
const indented = (text: string): string => text.replace(/\r?\n|\r/g, '\n    ')

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
