import type { Provider } from 'oidc-provider'
import { Secret } from '../../core/secret.ts'
import { resourceOf } from './audience.ts'

export interface OfflineTokenInput {
  /** Id of the client that may use it. */
  client: string
  /** Whose it is. Default: the client's own `sub`. */
  subject?: string
  /** Of the access tokens that it brings. Default: the client. */
  audience?: string
  scope?: string
  /** Of those access tokens. Default: those of the client. */
  claims?: Readonly<Record<string, unknown>>
}

/** Grants a refresh token as if somebody had logged in and agreed. */
export async function grantOffline(
  provider: Provider,
  { client: id, subject = id, audience = id, scope = 'openid' }: OfflineTokenInput,
): Promise<Secret> {
  const client = await provider.Client.find(id)
  if (!client) throw new RangeError(`there is no client ${id}`)
  const resource = resourceOf(audience)
  const grant = new provider.Grant({ accountId: subject, clientId: id })
  grant.addOIDCScope(scope)
  grant.addResourceScope(resource, scope)
  const grantId = await grant.save()
  const token = new provider.RefreshToken({
    ...{ client, accountId: subject, grantId, resource, scope },
    gty: 'authorization_code',
    rotations: 0,
  })
  return Secret.of(await token.save())
}

export async function revokeOffline(provider: Provider, token: Secret): Promise<void> {
  const found = await provider.RefreshToken.find(token.reveal())
  await found?.destroy()
}
