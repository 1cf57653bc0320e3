import type { Clock } from '../../../../core/clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import type { Env } from '../../../../kube/kubeconfig/index.ts'
import { SharedRun } from '../../../../kube/kubeconfig/shared-run.ts'
import type { CredentialDeps, Found } from './credentials.ts'
import { asRole, ownCredentials } from './credentials.ts'
import type { Post } from './post.ts'
import { postVia } from './post.ts'
import type { EksToken } from './presign.ts'
import { configuredSts, eksToken, regionOfEndpoint, stsEndpoint } from './presign.ts'
import type { AwsCredentials } from './sigv4.ts'

export interface TokenSourceOptions {
  readonly region: string
  /** Of the EKS cluster of the hub. */
  readonly clusterName: string
  /** Absent: as what the process is itself. */
  readonly roleArn?: string
  /** Where STS is asked for roles. What a token names is not this one. Default: that of the environment, else of the region. */
  readonly endpoint?: URL
}

export interface TokenSourceDeps {
  env: Env
  clock: Clock
  readFile(path: string): Promise<string>
  /** Default: by https. */
  post?: Post
  /** The STS that tokens name, for tests with a stand-in. Default: that of the region. */
  namedSts?: URL
  /** Default: that of the AWS SDK. */
  defaultChain?(region: string): Promise<AwsCredentials>
}

export interface TokenSource {
  /** `refresh`: the hub refused the last one. */
  token(options?: { refresh?: boolean; signal?: AbortSignal }): Promise<EksToken>
}

/** A token is replaced this long before it ends. */
const marginMs = 60_000
/** Credentials are replaced while they are still good for a whole token. */
const credentialMarginMs = 16 * 60_000
/** A token this young is not replaced, whoever asks: the hub would refuse the next one as well. */
const refreshEveryMs = 10_000
/** After a failure STS is left alone this long, however many requests wait. */
const retryAfterMs = 5_000

/**
 * Tokens for the hub, from memory while they are good. Not on disk: that would be a secret at rest, and programs that run
 * a plugin keep what it printed until it ends. One question at a time, whoever waits for it.
 */
export function tokenSource(options: TokenSourceOptions, given: TokenSourceDeps): TokenSource {
  const { region, clusterName, roleArn } = options
  const { clock } = given
  const publicSts = stsEndpoint(region)
  const { endpoint = configuredSts(given.env) ?? publicSts } = options
  const { namedSts = publicSts } = given
  const deps: CredentialDeps = {
    ...given,
    endpoint,
    region: regionOfEndpoint(endpoint) ?? region,
    post: given.post ?? postVia(given.env),
    defaultChain: given.defaultChain ?? loadedChain,
  }
  let found: Found | undefined
  let held: { token: EksToken; at: number } | undefined
  let failed: { error: unknown; at: number } | undefined
  let underWay: SharedRun<EksToken> | undefined

  async function credentials(stop: AbortSignal): Promise<AwsCredentials> {
    const endsAt = found?.credentials.expiresAt?.getTime() ?? 0
    if (!found || endsAt - clock.now().getTime() < credentialMarginMs) {
      const own = await ownCredentials(deps, stop)
      found = roleArn === undefined ? own : await asRole(roleArn, own, deps, stop)
    }
    return found.credentials
  }

  async function renew(stop: AbortSignal): Promise<EksToken> {
    try {
      const keys = await credentials(stop)
      const at = clock.now()
      const token = eksToken({ region, clusterName, credentials: keys, at, namedSts })
      held = { token, at: at.getTime() }
      failed = undefined
      return token
    } catch (error) {
      if (isFailure(error)) failed = { error, at: clock.now().getTime() }
      throw error
    }
  }

  return {
    async token({ refresh = false, signal } = {}) {
      signal?.throwIfAborted()
      const now = clock.now().getTime()
      const last = held
      const lifeMs = last ? last.token.expiresAt.getTime() - last.at : 0
      if (last && isWithin(last.at, now, refresh ? refreshEveryMs : lifeMs - marginMs)) return last.token
      try {
        if (failed && isWithin(failed.at, now, retryAfterMs)) throw failed.error
        if (!underWay || underWay.isOver) {
          // A role that was made anew does not know the sessions of the old one.
          if (refresh) found = undefined
          underWay = new SharedRun(renew)
        }
        return await underWay.wait(signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (last && !refresh && isWithin(last.at, now, lifeMs)) return last.token
        throw error
      }
    },
  }
}

const loadedChain = async (region: string): Promise<AwsCredentials> =>
  (await import('./sdk-credentials.ts')).sdkCredentials(region)

/** False when the clock was set back: what was signed then is of the future for the hub. */
const isWithin = (start: number, now: number, ms: number): boolean => now >= start && now - start < ms
