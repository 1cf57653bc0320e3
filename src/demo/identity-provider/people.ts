import type { Provider } from 'oidc-provider'
import { resourceOf } from './audience.ts'

/** Somebody with an account. */
export interface DemoPerson {
  /** Claim `preferred_username`, and what they are picked by. */
  readonly username: string
  readonly email: string
  readonly name: string
  readonly groups: readonly string[]
}

/** Of tokens that are issued for them. */
export const claimsOfPerson = ({ username, email, name, groups }: DemoPerson): Readonly<Record<string, unknown>> => ({
  email,
  email_verified: true,
  preferred_username: username,
  name,
  groups,
})

export const subjectOfPerson = ({ username }: DemoPerson): string => `demo-${username}`

/** Who they are in tokens. */
export const accountOf = (person: DemoPerson) => ({
  subject: subjectOfPerson(person),
  claims: claimsOfPerson(person),
})

export type DeviceCheck = 'waiting' | 'used' | 'expired' | 'unknown'

/** As people type it: the library compares letters and digits. */
const normalized = (userCode: string): string => userCode.replace(/[^a-zA-Z0-9]/g, '').toUpperCase()

const codeOf = (provider: Provider, userCode: string) =>
  provider.DeviceCode.findByUserCode(normalized(userCode), { ignoreExpiration: true })

/** How the login stands that this code was shown for. */
export async function deviceState(provider: Provider, userCode: string): Promise<DeviceCheck> {
  const code = await codeOf(provider, userCode)
  if (!code) return 'unknown'
  if (code.isExpired) return 'expired'
  return code.accountId || code.error ? 'used' : 'waiting'
}

/** Logs somebody in on the device that shows this code, as if they had given their password and agreed. */
export async function logIn(
  provider: Provider,
  { userCode, person, at }: { userCode: string; person: DemoPerson; at: Date },
): Promise<DeviceCheck> {
  const state = await deviceState(provider, userCode)
  const code = await codeOf(provider, userCode)
  if (state !== 'waiting' || !code?.clientId) return state
  const accountId = subjectOfPerson(person)
  const scope = String(code.params?.['scope'] ?? 'openid')
  const resource = resourceOf(String(code.params?.['audience'] ?? code.clientId))
  const grant = new provider.Grant({ accountId, clientId: code.clientId })
  grant.addOIDCScope(scope)
  grant.addResourceScope(resource, scope)
  const grantId = await grant.save()
  Object.assign(code, { accountId, grantId, scope, resource, authTime: Math.floor(at.getTime() / 1_000) })
  await code.save()
  return 'waiting'
}
