import { isObject } from '../../core/schema/schema.ts'
import { isMailVouchedFor, isName } from '../../fleet/identity/index.ts'
import type { Caller } from '../../fleet/rest.ts'
import type { Person } from './contract.ts'

/** Who a token says its bearer is. */
export function personOf(
  { claims, provider = '' }: Pick<Caller, 'claims' | 'provider'>,
  prefixes: readonly string[],
): Person {
  const { email, preferred_username: username, sub, iss } = claims
  return {
    // One that its provider does not vouch for could be anybody's.
    ...(isName(email) && isMailVouchedFor(claims) && { email }),
    ...(isName(username) && { username }),
    ...(isName(sub) && { subject: sub }),
    groups: [...new Set(groupsOf(claims).map((group) => withoutPrefix(group, prefixes)))],
    identityProvider: provider,
    issuer: String(iss),
  }
}

/** `groups`, and only where a token has no such claim at all the roles that Keycloak gives. */
function groupsOf(claims: Caller['claims']): string[] {
  const realm = claims['realm_access']
  const told = 'groups' in claims ? claims['groups'] : isObject(realm) ? realm['roles'] : []
  return [told].flat().filter(isName)
}

function withoutPrefix(group: string, prefixes: readonly string[]): string {
  const prefix = prefixes.find((one) => one !== '' && group.startsWith(one))
  return prefix === undefined ? group : group.slice(prefix.length)
}
