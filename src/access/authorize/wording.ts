/** What people read who were refused, or let through: what is so, and what to do. */
import type { AccessSettings } from '../settings.ts'
import type { ClusterFacts } from './cluster-index.ts'
import type { Asked, Decision } from './contract.ts'
import type { Unread } from './read-review.ts'

export const systemUser: Decision = {
  verdict: 'noOpinion',
  source: 'system-user',
  reason: 'Lanyard has no opinion on users of the system.',
}

export const hubIdentity: Decision = {
  verdict: 'noOpinion',
  source: 'hub-identity',
  reason: 'Lanyard has no opinion on itself.',
}

const mostShown = 100
const shown = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text)

const actionOf = ({ verb, resource, path }: Asked): string => {
  if (!resource) return `${shown(verb)} ${shown(path ?? '')}`
  const kind = resource.subresource === '' ? resource.resource : `${resource.resource}/${resource.subresource}`
  return `${shown(verb)} ${shown(kind)}`
}

export const clusterMissing = (cluster: string, asked: Asked): Decision => ({
  verdict: 'noOpinion',
  source: 'cluster-missing',
  reason: `The cluster ${shown(cluster)} is not registered, so nobody can be given access to ${actionOf(asked)} there. Whoever runs the hub can add it with \`lanyard reach add\`.`,
})

/** How access can be asked for, as a sentence; the only place of the link. */
export function howToAsk(cluster: string, canAsk: boolean, { frontendUrl }: Pick<AccessSettings, 'frontendUrl'>) {
  if (!canAsk) return 'There is nothing that you could ask for here.'
  if (frontendUrl === undefined) return 'You can ask for access with `lanyard access request`.'
  return `You can ask for access at ${frontendUrl}?search=${encodeURIComponent(cluster)}`
}

/** Of a review that was not even asked for. */
export const overload = 'too many questions are put to the cluster at once'

export const noSession = 'No session allows this.'

export const deniedBy = (policy: string, because: string): string => `Policy ${policy} forbids this: ${because}`

export const policiesLate =
  'Whether a deny policy forbids this could not be found out in time, so it is denied. Try again in a moment.'

export const policiesOverloaded =
  'The hub is overloaded with questions of this cluster and cannot find out whether a deny policy forbids this, so it is denied. Try again in a moment.'

const unreadBecause: Readonly<Record<Unread, string>> = {
  'too-large': 'is too long',
  invalid: 'is none that it knows',
  late: 'did not arrive in time',
  cut: 'broke off',
  'too-many': 'came with too many others that are as long',
}

export const unread = (why: Unread): string =>
  `What the API server of the cluster asked the hub about this ${unreadBecause[why]}, so whether a deny policy forbids it could not be found out, and it is denied. Ask with shorter selectors and fewer at once, or try again in a moment.`

export const hubFailed =
  'The hub failed to find out whether a deny policy forbids this, so it is denied. Try again in a moment.'

export const outOfTouch =
  'The hub has lost touch with its own API server and cannot know whether your session still holds, so nothing is granted. Try again in a moment.'

export const policiesUnread = 'Deny policies cannot be evaluated at the moment, so nothing is granted.'

export const refusedBy = (sessions: readonly string[]): string =>
  sessions.length === 1
    ? `Your session ${sessions[0]} does not cover this: the group that it stands for may not do it in the cluster.`
    : `None of your sessions ${sessions.join(', ')} covers this: the groups that they stand for may not do it in the cluster.`

export const unverified = (sessions: readonly string[], why: string): string =>
  sessions.length === 1
    ? `Your session ${sessions[0]} may cover this, but that could not be verified: ${why}. Try again in a moment.`
    : `One of your sessions ${sessions.join(', ')} may cover this, but that could not be verified: ${why}. Try again in a moment.`

export function otherProvider(session: string, facts: ClusterFacts, { hardenedProviderHints }: AccessSettings): string {
  const is = `Session ${session} was given to somebody of another identity provider than the one you logged in with, so it does not count.`
  return hardenedProviderHints ? is : `${is} ${accepted(facts)}`
}

/** The issuer is none of those whose users may get access here. */
export const unknownIssuer = (facts: ClusterFacts, { hardenedProviderHints }: AccessSettings): string => {
  const is = 'The identity provider that you logged in with is not set up for this cluster.'
  return hardenedProviderHints ? is : `${is} ${accepted(facts)}`
}

const accepted = ({ providerNames }: ClusterFacts): string =>
  providerNames.length === 0 ? 'None is.' : `Those that are: ${providerNames.join(', ')}.`
