/** All that is asked of openid-client, in a file that is loaded on demand: an agent has no use for it. */
import type { TokenEndpointResponse } from 'openid-client'
import {
  ClientSecretPost,
  Configuration,
  clientCredentialsGrant,
  customFetch,
  discovery,
  genericGrantRequest,
  None,
  refreshTokenGrant,
} from 'openid-client'
import type { ProviderMetadata } from './discovery.ts'
import type { DiscoveryDocument } from './endpoint-rules.ts'
import type { IssuerFetch } from './fetch.ts'
import { exchangeGrantType } from './grants.ts'
import type { Asked } from './request.ts'

/** As it was answered. That it is the issuer's own is for the caller to see. */
export async function documentAt(issuer: string, fetch: IssuerFetch): Promise<DiscoveryDocument> {
  const found = await discovery(new URL(issuer), 'anybody', undefined, None(), { [customFetch]: fetch })
  return found.serverMetadata()
}

export function tokenBy(
  asked: Asked,
  clientId: string,
  metadata: ProviderMetadata,
  fetch: IssuerFetch,
): Promise<TokenEndpointResponse> {
  const { grant, clientSecret, refreshToken, form = {} } = asked
  const authentication = clientSecret ? ClientSecretPost(clientSecret.reveal()) : None()
  const configuration = new Configuration(metadata, clientId, {}, authentication)
  configuration[customFetch] = withoutIdToken(fetch)
  switch (grant) {
    case 'client_credentials':
      return clientCredentialsGrant(configuration, { ...form })
    case 'refresh_token':
      return refreshTokenGrant(configuration, refreshToken?.reveal() ?? '', { ...form })
    case 'token_exchange':
      return genericGrantRequest(configuration, exchangeGrantType, { ...form })
  }
}

/**
 * A refresh may bring an id token, which nobody here asks anything. The library would check it, by the clock of the
 * machine, and throw the access token away for its sake.
 */
const withoutIdToken =
  (fetch: IssuerFetch): IssuerFetch =>
  async (url, options) => {
    const answer = await fetch(url, options)
    if (answer.status !== 200) return answer
    return new Response(withoutMember(await answer.text(), 'id_token'), { status: 200, headers: answer.headers })
  }

function withoutMember(json: string, name: string): string {
  try {
    const { [name]: _, ...others } = JSON.parse(json)
    return JSON.stringify(others)
  } catch {
    return json
  }
}
