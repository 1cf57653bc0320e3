import type { EscalationSpec, EscalationStatus } from '../../apis/breakglass/breakglass-escalation.ts'
import type { SessionSpec } from '../../apis/breakglass/breakglass-session.ts'
import type { Recipient } from './contract.ts'

/** What could be written to. Not whether anybody is there; but nothing that a mail server could take for more than one. */
export const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@<>()[\],;:"\\\p{Cc}]+@[^\s@<>()[\],;:"\\\p{Cc}]+$/u.test(text)

/**
 * Where there are several identity providers, what the cluster calls somebody who proved no address may look like that of
 * another person: they would get the letters, or as an approver none of those about the session.
 */
export function requesterAddress(
  { requestedBy, user }: SessionSpec,
  { isOnlyProvider }: { isOnlyProvider: boolean },
): string | undefined {
  const known = requestedBy && !isOnlyProvider ? [requestedBy.email] : [requestedBy?.email, user]
  return known.find((text) => text !== undefined && isAddress(text))?.toLowerCase()
}

export interface Approvers {
  readonly spec: EscalationSpec
  readonly status: EscalationStatus | undefined
  /** Where the escalation does not say. */
  readonly clusterDomains?: readonly string[]
}

export interface Leaving {
  /** Whoever asked knows already. */
  readonly out?: string | undefined
  /** Nobody is left out who may approve: neither by wish nor by being hidden. */
  readonly alarm: boolean
}

/** Who may approve and can be written to, one entry for each, with the groups by which they may. */
export function approverRecipients({ spec, status, clusterDomains }: Approvers, { out, alarm }: Leaving): Recipient[] {
  const found = new Map<string, Set<string>>()
  const add = (address: string, group?: string) => {
    const key = address.toLowerCase()
    if (!isAddress(key)) return
    const groups = found.get(key) ?? new Set()
    found.set(key, groups)
    if (group !== undefined) groups.add(group)
  }
  const hidden = new Set(alarm ? [] : (spec.approvers?.hiddenFromUI ?? []))
  for (const user of spec.approvers?.users ?? []) if (!hidden.has(user)) add(user)
  for (const group of spec.approvers?.groups ?? [])
    if (!hidden.has(group)) for (const member of membersOf(group, status)) add(member, group)
  const excluded = alarm ? new Set<string>() : excludedBy(spec, status)
  for (const user of hidden) excluded.add(user.toLowerCase())
  const own = spec.allowedApproverDomains ?? []
  const domains = own.length > 0 ? own : (clusterDomains ?? [])
  return [...found]
    .filter(([address]) => address !== out && !excluded.has(address) && isOf(domains, address))
    .map(([address, groups]) => ({ address, groups: [...groups] }))
}

/** Whether a letter to this one person is not wanted. */
export const isExcluded = (address: string, spec: EscalationSpec, status: EscalationStatus | undefined): boolean =>
  spec.disableNotifications === true || excludedBy(spec, status).has(address)

function excludedBy({ notificationExclusions }: EscalationSpec, status: EscalationStatus | undefined): Set<string> {
  const { users = [], groups = [] } = notificationExclusions ?? {}
  return new Set([...users, ...groups.flatMap((group) => membersOf(group, status))].map((user) => user.toLowerCase()))
}

const membersOf = (group: string, status: EscalationStatus | undefined): readonly string[] =>
  status?.approverGroupMembers?.[group] ?? []

const isOf = (domains: readonly string[], address: string): boolean =>
  domains.length === 0 || domains.some((domain) => address.endsWith(`@${domain.toLowerCase()}`))
