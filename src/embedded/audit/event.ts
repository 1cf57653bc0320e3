import type { User } from '../authentication/user.ts'
import type { Status } from '../status.ts'
import type { Level, Stage } from './policy.ts'

/** What is known of a request so far. */
export interface EventFacts {
  readonly level: Level
  readonly id: string
  readonly uri: string
  readonly verb: string
  /** Undefined for somebody whom nobody knows. */
  readonly user: User | undefined
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  impersonatedUser?: User
  /** By which right one user acts as another. */
  impersonationConstraint?: string
  objectRef?: ObjectRef
  responseStatus?: ResponseStatus
  /** JSON on one line. */
  requestObject?: string
  responseObject?: string
  annotations?: Record<string, string>
}

/** In the order in which it is written. Empty parts are left out. */
export interface ObjectRef {
  resource: string
  namespace: string
  name: string
  uid: string
  apiGroup: string
  apiVersion: string
  resourceVersion: string
  subresource: string
}

export type ResponseStatus = Pick<Status, 'metadata' | 'message' | 'reason' | 'details' | 'code'> & { status?: string }

/** One line of the log, with its end. Fields stand in the order in which the real server writes them. */
export function eventLine(facts: EventFacts, stage: Stage, receivedAt: string, stageAt: string): string {
  const { impersonatedUser, impersonationConstraint, objectRef, annotations } = facts
  const head = JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: facts.level,
    auditID: facts.id,
    stage,
    requestURI: facts.uri,
    verb: facts.verb,
    user: facts.user ? userInfo(facts.user) : {},
    impersonatedUser: impersonatedUser && userInfo(impersonatedUser),
    authenticationMetadata: impersonationConstraint && { impersonationConstraint },
    sourceIPs: facts.sourceIps.length > 0 ? facts.sourceIps : undefined,
    userAgent: facts.userAgent ? shortened(facts.userAgent) : undefined,
    objectRef: objectRef && filled(objectRef),
    responseStatus: facts.responseStatus,
  })
  const parts = [
    head.slice(0, -1),
    facts.requestObject === undefined ? '' : `,"requestObject":${facts.requestObject}`,
    facts.responseObject === undefined ? '' : `,"responseObject":${facts.responseObject}`,
    `,"requestReceivedTimestamp":"${receivedAt}","stageTimestamp":"${stageAt}"`,
    annotations === undefined ? '' : `,"annotations":${JSON.stringify(sorted(annotations))}`,
    '}\n',
  ]
  return withoutMarkup(parts.join(''))
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name || undefined,
  uid: uid || undefined,
  groups: groups.length > 0 ? groups : undefined,
  extra: extra && sorted(extra),
})

const longestUserAgent = 1024

const shortened = (userAgent: string): string =>
  userAgent.length > longestUserAgent ? `${userAgent.slice(0, longestUserAgent)}...TRUNCATED` : userAgent

const filled = (ref: ObjectRef): Partial<ObjectRef> =>
  Object.fromEntries(Object.entries(ref).filter(([, value]) => value !== ''))

const sorted = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)))

const markup = /[<>&\u2028\u2029]/g

/** These stand in strings only, and Go escapes them there. */
const withoutMarkup = (json: string): string =>
  json.replace(markup, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A moment with its microseconds: so long after another. */
export function microTime(start: Date, elapsedMs: number): string {
  const micros = Math.max(0, Math.round(elapsedMs * 1_000))
  const moment = new Date(start.getTime() + Math.floor(micros / 1_000))
  return `${moment.toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`
}
