import type { Asked } from '../authorize/contract.ts'
import type { Escalation, Session } from '../sessions/index.ts'
import { approverOf, isForCluster, isSameName } from '../sessions/index.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'
import { approvalOf } from './sight.ts'

export interface ExplainQuery {
  cluster: string
  verb: string
  user?: string
  groups?: readonly string[]
  resource?: string
  group?: string
  version?: string
  subresource?: string
  namespace?: string
  name?: string
  path?: string
}

/** About whom somebody asks, and as whom the cluster knows them. */
export interface Subject {
  readonly asked: Asked
  /** That RBAC may speak of. */
  readonly groups: readonly string[]
  readonly isOwn: boolean
  /** Of another: the escalations that the caller approves there. */
  readonly approved: readonly Escalation[]
}

const everybody = 'system:authenticated'

/** Undefined: not theirs to ask about. */
export function subjectOf(query: ExplainQuery, person: Person, deps: PeopleDeps): Subject | undefined {
  const { cluster, user } = query
  const names = [person.email, person.username, person.subject].filter((name) => name !== undefined)
  const isOwn = user === undefined || user === '' || names.some((name) => isSameName(name, user))
  if (isOwn) {
    // Never as it was given: a name that somebody chose may be that of another on the cluster.
    const own = {
      user: identifierOn(cluster, person, deps),
      groups: [everybody, ...person.groups],
      issuer: person.issuer,
    }
    return { asked: { ...own, ...attributes(query) }, groups: own.groups, isOwn, approved: [] }
  }
  const approved = approvedBy(person, cluster, user, deps)
  if (approved.length === 0) return undefined
  const groups = [...new Set([everybody, ...(query.groups ?? [])])]
  return { asked: { user, groups, ...attributes(query) }, groups, isOwn, approved }
}

function identifierOn(cluster: string, person: Person, { spokeView, settings }: PeopleDeps): string {
  const [config] = spokeView.configs.byIndex('name', cluster)
  const claim = config?.spec.userIdentifierClaim ?? settings().userIdentifierClaim
  const { email, username, subject } = person
  return { email, preferred_username: username, sub: subject }[claim] ?? approverOf(person)
}

/** The escalations under which this person would decide, had the user asked for access to the cluster. */
function approvedBy(person: Person, cluster: string, user: string, deps: PeopleDeps): Escalation[] {
  return deps.view.escalations.list().filter((escalation) => {
    const { escalatedGroup } = escalation.spec
    if (escalatedGroup === undefined || !isForCluster(escalation, cluster)) return false
    return approvalOf(imagined(cluster, user, escalation), person, deps).allowed
  })
}

function imagined(cluster: string, user: string, { metadata, spec }: Escalation): Session {
  const owner = { apiVersion: '', kind: '', name: metadata.name, uid: metadata.uid, controller: true }
  return {
    metadata: { name: '', uid: '', resourceVersion: '', ownerReferences: [owner] },
    spec: { cluster, user, grantedGroup: spec.escalatedGroup ?? '' },
  }
}

function attributes(query: ExplainQuery): Pick<Asked, 'verb' | 'resource' | 'path'> {
  const { verb, path, resource, group = '', version = '', subresource = '', namespace = '', name = '' } = query
  if (resource === undefined) return { verb, path: path ?? '' }
  return { verb, resource: { group, version, resource, subresource, namespace, name } }
}
