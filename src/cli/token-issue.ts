import { randomInt } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import { Secret } from '../core/secret.ts'
import { isAbsent } from '../kube/failures.ts'
import { secrets, serviceAccounts } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import {
  bootstrapAccount,
  bootstrapTokenId,
  bootstrapTokenManifest,
  bootstrapTokenSecret,
} from '../registration/manifests/bootstrap.ts'
import { applyManifests } from './apply-manifests.ts'
import { failures } from './failures.ts'

export interface JoinToken {
  token: Secret
  expiresAt?: Date
}

export interface TokenWish {
  kube: Kube
  /** For people. */
  server: string
  useBootstrapToken: boolean
  lifetimeMs: number
  clock: Clock
  signal: AbortSignal
}

/** What a cluster may ask to join with: a token of the bootstrap account, or a bootstrap token of Kubernetes. */
export const issueJoinToken = (wish: TokenWish): Promise<JoinToken> =>
  wish.useBootstrapToken ? bootstrapToken(wish) : accountToken(wish)

async function accountToken({ kube, server, lifetimeMs, signal }: TokenWish): Promise<JoinToken> {
  const { namespace, name } = bootstrapAccount
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: Math.round(lifetimeMs / 1_000) },
  }
  try {
    const { status } = await kube
      .of(serviceAccounts, namespace)
      .createSubresource<object, { status: { token: string; expirationTimestamp: string } }>(name, 'token', review, {
        signal,
      })
    return { token: Secret.of(status.token), expiresAt: new Date(status.expirationTimestamp) }
  } catch (error) {
    if (isAbsent(error)) throw failures.HUB_NOT_PREPARED({ server, account: `${namespace}/${name}` }, error)
    throw error
  }
}

/** The one that is there while it is good for at least half of what is wished: a new one would end those handed out. */
async function bootstrapToken({ kube, lifetimeMs, clock, signal }: TokenWish): Promise<JoinToken> {
  const { data = {} } = (await kube.of(secrets, 'kube-system').find(bootstrapTokenSecret, { signal })) ?? {}
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
  const [kept, until] = [text('token-secret'), text('expiration')]
  const isGood = until === '' || new Date(until) >= after(clock.now(), lifetimeMs / 2)
  if (kept && isGood) return { token: tokenOf(kept), ...(until && { expiresAt: new Date(until) }) }
  const secret = Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')
  const expiresAt = after(clock.now(), lifetimeMs)
  await applyManifests(kube, [bootstrapTokenManifest(secret, expiresAt)], signal)
  return { token: tokenOf(secret), expiresAt }
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

const tokenOf = (secret: string): Secret => Secret.of(`${bootstrapTokenId}.${secret}`)
