import { isObject } from '../../core/schema/schema.ts'
import { isName } from '../../fleet/identity/index.ts'
import type { Caller } from '../../fleet/rest.ts'
import type { GroupPrefixes } from '../group-prefixes.ts'
import { groupsInToken } from '../group-prefixes.ts'
import type { Person } from './contract.ts'

/** Who a token says its bearer is. */
export function personOf(
  { claims, provider = '', email }: Pick<Caller, 'claims' | 'provider' | 'email'>,
  prefixes: GroupPrefixes,
): Person {
  const { email: claimedEmail, preferred_username: username, sub, iss } = claims
  return {
    ...(email !== undefined && { email }),
    ...(email === undefined && isName(claimedEmail) && { claimedEmail }),
    ...(isName(username) && { username }),
    ...(isName(sub) && { subject: sub }),
    groups: [...new Set(groupsInToken(groupsOf(claims), prefixes))],
    identityProvider: provider,
    issuer: String(iss),
    ...(!prefixes.isOnly && { amongProviders: { groupPrefixes: prefixes.own } }),
  }
}

/** `groups`, and only where a token has no such claim at all the roles that Keycloak gives. */
function groupsOf(claims: Caller['claims']): string[] {
  const realm = claims['realm_access']
  const told = 'groups' in claims ? claims['groups'] : isObject(realm) ? realm['roles'] : []
  return [told].flat().filter(isName)
}
