import { fieldErrorText } from '../../core/schema/field-errors.ts'
import type { Attributes, ResourceAttributes } from '../authorization/attributes.ts'
import { dnsLabelFlaws, dnsSubdomainFlaws } from '../kinds/names.ts'
import { checkDomainPrefixedPath } from './domain-prefixed-path.ts'
import type { WantedUser } from './impersonation-headers.ts'
import type { User } from './user.ts'
import { serviceAccountGroups, system } from './user.ts'

/** What must be allowed before somebody acts as somebody else, or why it is not even asked. */
export interface Demand {
  readonly attributes: Attributes
  readonly refusal?: string
}

/** One way to act as somebody else: whom it is for, what it demands, and whom it makes. */
export interface Mode {
  /** The verb that stands for it; the way of old has none of its own. */
  readonly right?: string
  appliesTo(wanted: WantedUser, requestor: User): boolean
  demands(wanted: WantedUser, request: Attributes): Iterable<Demand>
  becomes(wanted: WantedUser): User
}

const group = 'authentication.k8s.io'
const nodePrefix = 'system:node:'

export function serviceAccountOf(name: string): { namespace: string; name: string } | undefined {
  const [, namespace, account, ...more] = name.startsWith('system:serviceaccount:') ? name.slice(7).split(':') : []
  if (namespace === undefined || account === undefined || more.length > 0) return undefined
  if (dnsLabelFlaws(namespace).length > 0 || dnsSubdomainFlaws(account).length > 0) return undefined
  return { namespace, name: account }
}

function nodeOf(name: string): string | undefined {
  const node = name.startsWith(nodePrefix) ? name.slice(nodePrefix.length) : ''
  return node !== '' && dnsSubdomainFlaws(node).length === 0 ? node : undefined
}

const isNameOnly = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0

function asImpersonated(wanted: WantedUser, fixedGroups: readonly string[]): User {
  const { name, uid, extra } = wanted
  const groups = wanted.groups.length > 0 ? wanted.groups : fixedGroups
  const mark = name === system.anonymous ? system.unauthenticated : system.authenticated
  const isMarked = groups.includes(mark) || groups.includes(system.unauthenticated)
  return {
    name,
    groups: isMarked ? groups : [...groups, mark],
    ...(uid !== '' && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

const fixedGroupsOf = (name: string): string[] => {
  const account = serviceAccountOf(name)
  return account ? serviceAccountGroups(account.namespace) : []
}

type Parts = Pick<ResourceAttributes, 'group' | 'resource' | 'name'> &
  Partial<Pick<ResourceAttributes, 'namespace' | 'subresource'>>

const asking = (user: User, verb: string, parts: Parts): ResourceAttributes => ({
  user,
  verb,
  version: 'v1',
  namespace: '',
  subresource: '',
  ...parts,
})

/** The way of old: a right on each part of the identity, whatever is then done with it. */
export const legacy: Mode = {
  appliesTo: () => true,
  *demands(wanted, { user }) {
    const account = serviceAccountOf(wanted.name)
    const who = account ? { resource: 'serviceaccounts', ...account } : { resource: 'users', name: wanted.name }
    const demand = (parts: Parts): Demand => ({ attributes: asking(user, 'impersonate', parts) })
    yield demand({ group: '', ...who })
    if (wanted.uid !== '') yield demand({ group, resource: 'uids', name: wanted.uid })
    for (const name of wanted.groups) yield demand({ group: '', resource: 'groups', name })
    for (const [subresource, values] of Object.entries(wanted.extra))
      for (const name of values) yield demand({ group, resource: 'userextras', subresource, name })
  },
  becomes: (wanted) => asImpersonated(wanted, fixedGroupsOf(wanted.name)),
}

interface Constraint {
  name: string
  appliesTo: Mode['appliesTo']
  /** How the user is asked for. */
  who(wanted: WantedUser): Parts
  groups(wanted: WantedUser): readonly string[]
  /** As whom the rights are asked. */
  requestor?(user: User): User
}

/** A right to do just this request as somebody else, and rights on each part of the identity. */
const constrained = ({ name: mode, appliesTo, who, groups, requestor = (user) => user }: Constraint): Mode => ({
  right: `impersonate:${mode}`,
  appliesTo,
  *demands(wanted, request) {
    const user = requestor(request.user)
    yield { attributes: { ...request, user, verb: `impersonate-on:${mode}:${request.verb}` } }
    const ask = (parts: Parts) => asking(user, `impersonate:${mode}`, parts)
    yield { attributes: ask(who(wanted)) }
    if (wanted.uid !== '') yield { attributes: ask({ group, resource: 'uids', name: wanted.uid }) }
    yield* groupDemands(wanted.groups, (name) => ask({ group, resource: 'groups', name }))
    yield* extraDemands(wanted.extra, (subresource, name) => ask({ group, resource: 'userextras', subresource, name }))
  },
  becomes: (wanted) => asImpersonated(wanted, groups(wanted)),
})

function* groupDemands(groups: readonly string[], ask: (name: string) => Attributes): Generator<Demand> {
  if (groups.includes('')) yield { attributes: ask(''), refusal: 'impersonating the empty string group is not allowed' }
  if (groups.includes(system.masters))
    yield { attributes: ask(system.masters), refusal: 'impersonating the system:masters group is not allowed' }
  for (const name of groups) yield { attributes: ask(name) }
}

function* extraDemands(extra: WantedUser['extra'], ask: (key: string, value: string) => Attributes): Generator<Demand> {
  for (const [key, values] of Object.entries(extra)) {
    const refusal = whyNoExtra(key, values)
    if (refusal) yield { attributes: ask('', ''), refusal }
  }
  for (const [key, values] of Object.entries(extra)) for (const value of values) yield { attributes: ask(key, value) }
}

function whyNoExtra(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed'
  const [flaw] = checkDomainPrefixedPath('extra.key', key)
  if (flaw) return `impersonating an invalid key in extra is not allowed: ${fieldErrorText(flaw)}`
  if (key !== key.toLowerCase())
    return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined
}

const nodeNameKey = 'authentication.kubernetes.io/node-name'
const associatedKeys = 'authentication.kubernetes.io/associated-node-keys'

const asNode = (name: string): Parts => ({ group, resource: 'nodes', name })

/** A pod may act as the node it runs on: whichever that is, so the right is on all of them. */
const associatedNode = constrained({
  name: 'associated-node',
  appliesTo(wanted, { name, extra }) {
    const node = nodeOf(wanted.name)
    const own = extra?.[nodeNameKey]
    const isThere = node !== undefined && own?.length === 1 && own[0] === node
    return isThere && isNameOnly(wanted) && serviceAccountOf(name) !== undefined
  },
  who: () => asNode('*'),
  groups: () => ['system:nodes'],
  requestor: (user) => ({ ...user, extra: { [associatedKeys]: Object.keys(user.extra ?? {}).sort() } }),
})

const arbitraryNode = constrained({
  name: 'arbitrary-node',
  appliesTo: (wanted) => isNameOnly(wanted) && nodeOf(wanted.name) !== undefined,
  who: ({ name }) => asNode(nodeOf(name) ?? ''),
  groups: () => ['system:nodes'],
})

const serviceAccount = constrained({
  name: 'serviceaccount',
  appliesTo: (wanted) => isNameOnly(wanted) && serviceAccountOf(wanted.name) !== undefined,
  who: ({ name }) => ({ group, resource: 'serviceaccounts', ...(serviceAccountOf(name) ?? { name }) }),
  groups: ({ name }) => fixedGroupsOf(name),
})

const userInfo = constrained({
  name: 'user-info',
  appliesTo: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
  who: ({ name }) => ({ group, resource: 'users', name }),
  groups: () => [],
})

/** In the order in which they are tried. */
export const modes: readonly Mode[] = [associatedNode, arbitraryNode, serviceAccount, userInfo, legacy]
