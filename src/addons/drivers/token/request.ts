import { Secret } from '../../../core/secret.ts'
import type { TokenClaims } from '../../../fleet/account-token.ts'
import { readClaims } from '../../../fleet/account-token.ts'
import { isForbidden, isInvalid, isNotFound } from '../../../kube/failures.ts'
import { serviceAccounts } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import { failures } from './failures.ts'
import { tokenBinding } from './names.ts'
import { detailOf } from './token-secret.ts'

export interface TokenWish {
  hub: Kube
  cluster: string
  addon: string
  account: string
  seconds: number
  signal?: AbortSignal | undefined
}

export interface GrantedToken {
  token: Secret
  claims: TokenClaims
  /** As the hub says beside the token. */
  expiresAt: Date
}

interface TokenAnswer {
  status?: { token?: string; expirationTimestamp?: string }
}

/** Asks the hub for a token of the account. Throws a failure that says what to do. */
export async function requestToken(wish: TokenWish): Promise<GrantedToken> {
  const { hub, cluster, addon, account, seconds, signal } = wish
  const named = { account: `${cluster}/${account}` }
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: seconds },
  }
  const { status } = await hub
    .of(serviceAccounts, cluster)
    .createSubresource<object, TokenAnswer>(account, 'token', review, signal && { signal })
    .catch((error: unknown) => {
      if (isForbidden(error))
        throw failures.ADDON_TOKEN_FORBIDDEN({ ...named, binding: `${cluster}/${tokenBinding(addon)}` }, error)
      if (isNotFound(error)) throw failures.ADDON_TOKEN_NO_ACCOUNT(named, error)
      if (isInvalid(error)) throw failures.ADDON_TOKEN_REFUSED({ ...named, seconds }, error)
      throw failures.ADDON_TOKEN_NOT_ASKED({ ...named, detail: detailOf(error) }, error)
    })
  const token = Secret.of(status?.token ?? '')
  const expiresAt = new Date(status?.expirationTimestamp ?? '')
  const claims = readClaims(token)
  const isOfAccount = claims?.namespace === cluster && claims.account === account
  if (!claims || !isOfAccount || Number.isNaN(expiresAt.getTime())) throw failures.ADDON_TOKEN_FOREIGN(named)
  return { token, claims, expiresAt }
}
