import type { Identity } from './contract.ts'
import type { RoleSettings } from './settings.ts'

/** Allows everything, for every cluster. */
export const operatorPermission = 'operator'
/** For those who work on clusters that are not theirs, as adapters do. */
export const allClustersPermission = 'clusters:all'

/** What the claims of a JWT allow, by the roles of the configuration. Values are compared whole. */
export function permissionsOf({ claims }: Pick<Identity, 'claims'>, roles: readonly RoleSettings[]): Set<string> {
  const given = roles.filter(
    ({ claim, value, issuer }) =>
      (issuer === undefined || claims['iss'] === issuer) && valuesOf(claim, claims[claim]).includes(value),
  )
  return new Set(given.flatMap(({ permissions }) => permissions))
}

function valuesOf(claim: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (claim === 'scope' && typeof value === 'string') return value.split(' ')
  return [value]
}
