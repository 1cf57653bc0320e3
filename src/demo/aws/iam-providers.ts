import type { IamHandler } from './iam-roles.ts'
import { checked } from './limits.ts'
import { authorize } from './policy-evaluation.ts'
import { refuse } from './refusals.ts'

const createOpenIdConnectProvider: IamHandler = ({ caller, params }) => {
  const { account } = caller
  const url = checked('url', params.get('Url'))
  if (!/^https:\/\/[^/:?#]+(\/[^?#]*)?$/.test(url)) refuse('PROVIDER_URL_WRONG')
  const host = issuerHost(url)
  const arn = `arn:${account.partition}:iam::${account.id}:oidc-provider/${host}`
  authorize(caller, 'iam:CreateOpenIDConnectProvider', arn)
  if (account.providers.has(host)) refuse('PROVIDER_EXISTS', { url })
  account.providers.set(host, { arn, host, audiences: params.list('ClientIDList') })
  return { OpenIDConnectProviderArn: arn }
}

/** As ARNs and condition keys name an issuer. */
export const issuerHost = (url: string): string => url.replace(/^https:\/\//, '').replace(/\/$/, '')

export const providerActions: Record<string, IamHandler> = { CreateOpenIDConnectProvider: createOpenIdConnectProvider }
