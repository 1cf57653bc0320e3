import { isObject } from '../../core/schema/schema.ts'
import { isName } from '../../fleet/identity/index.ts'
import type { Caller } from '../../fleet/rest.ts'
import type { GroupPrefixes } from '../group-prefixes.ts'
import { withoutPrefix } from '../sessions/index.ts'
import type { Person } from './contract.ts'

/** Who a token says its bearer is. */
export function personOf(
  { claims, provider = '', email }: Pick<Caller, 'claims' | 'provider' | 'email'>,
  { isOnly, own, others }: GroupPrefixes,
): Person {
  const { email: claimedEmail, preferred_username: username, sub, iss } = claims
  const groups = groupsOf(claims).filter((group) => !others.some((prefix) => group.startsWith(prefix)))
  return {
    ...(email !== undefined && { email }),
    ...(email === undefined && isName(claimedEmail) && { claimedEmail }),
    ...(isName(username) && { username }),
    ...(isName(sub) && { subject: sub }),
    groups: [...new Set(groups.map((group) => withoutPrefix(group, own)))],
    identityProvider: provider,
    issuer: String(iss),
    ...(!isOnly && { amongProviders: { groupPrefixes: own } }),
  }
}

/** `groups`, and only where a token has no such claim at all the roles that Keycloak gives. */
function groupsOf(claims: Caller['claims']): string[] {
  const realm = claims['realm_access']
  const told = 'groups' in claims ? claims['groups'] : isObject(realm) ? realm['roles'] : []
  return [told].flat().filter(isName)
}
