import type { Run } from '../../core/lifecycle.ts'
import type { Access } from '../../fleet/identity/index.ts'
import type { Caller } from '../../fleet/rest.ts'
import type { Audit } from '../audit/contract.ts'
import type { Authorizer, Explainer, Reviews } from '../authorize/contract.ts'
import { groupPrefixesOf } from '../group-prefixes.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { WatchedPolicies } from '../policies/index.ts'
import type { SessionStore } from '../sessions/contract.ts'
import type { AccessView } from '../view.ts'
import type { Person } from './contract.ts'
import { personOf } from './person.ts'

export interface PeopleDeps extends AccessHubDeps {
  view: AccessView
  store: SessionStore
  authorizer: Authorizer & Explainer
  policies: WatchedPolicies
  reviews: Reviews
  audit: Audit
  people: People
  /** The newest activity of a session that is known here. */
  lastUsed(session: { namespace: string; name: string }): Date | undefined
}

/** Tokens of the IdentityProviders, as they are at the moment. */
export interface People extends Pick<Access, 'authenticate' | 'may'> {
  readonly run: Run
}

export const whoCalls = (caller: Caller, { settings, spokeView }: Pick<PeopleDeps, 'settings' | 'spokeView'>): Person =>
  personOf(caller, groupPrefixesOf(caller.provider, settings(), spokeView.providers.list()))

export const placeOf = ({ metadata }: { metadata: { namespace?: string; name: string } }) => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
