import type { Clock } from '../core/clock.ts'
import { after, sleep } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import type { Log } from '../core/log.ts'
import type { Secret } from '../core/secret.ts'
import { requestToken } from '../fleet/account-token.ts'
import { userOf } from '../fleet/csr/issuance-asker.ts'
import { onDemandToken } from '../fleet/on-demand-token.ts'
import type { ClientOptions, KubeClient } from '../kube/client/index.ts'
import { connect } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import { isForbidden, isNotFound } from '../kube/failures.ts'
import type { Kube } from '../kube/kube.ts'
import { hubAccount } from '../registration/manifests/hub-rbac.ts'
import { failures } from './failures.ts'
import { openCluster } from './open-cluster.ts'
import type { CommandDeps } from './open-hub.ts'

export interface HubIdentity {
  /** To the same API server, as the account. Who that is, and its token, is asked for by the first call. */
  readonly connection: Connection
  /** Resolves once it acts as the account, or is aborted. Throws what no second try would mend. */
  settled(signal: AbortSignal): Promise<void>
}

export interface HubIdentityDeps {
  /** As whoever starts the hub. */
  kube: Kube
  connection: Connection
  namespace: string
  clock: Clock
  log: Log
}

const tokenSeconds = 3_600
const retryMs = 2_000

/**
 * The hub acts as the account that `lanyard init` makes, whoever starts it: its admission lets the hub pass where it
 * checks everybody else, so nobody else may be taken for it. Whoever starts it is used to ask for the account's tokens,
 * unless they are the account already.
 */
export function hubIdentity({ kube, connection, namespace, clock, log }: HubIdentityDeps): HubIdentity {
  const account = `${namespace}/${hubAccount}`
  const username = `system:serviceaccount:${namespace}:${hubAccount}`
  const { server, headers, credentials: given } = connection

  async function obtain(): Promise<{ token?: Secret; issuedAt: Date; expiresAt: Date }> {
    const issuedAt = clock.now()
    const user = await userOf(kube)
    // Who impersonates the account is somebody else, who is not to be taken for it when the headers are left out.
    if (user === username && headers === undefined) return { issuedAt, expiresAt: forever }
    const granted = await requestToken(kube, { namespace, name: hubAccount, seconds: tokenSeconds }).catch(
      (error: unknown) => {
        const named = { account, namespace, name: hubAccount, server, user: user ?? 'who starts it' }
        if (isForbidden(error)) throw failures.HUB_ACCOUNT_FORBIDDEN(named, error)
        if (isNotFound(error)) throw failures.HUB_ACCOUNT_MISSING(named, error)
        throw error
      },
    )
    if (!granted) throw failures.HUB_ACCOUNT_NO_TOKEN({ account, server })
    const { token, claims } = granted
    // The life that was granted, from when it was asked for: the clock of the server may differ from this one.
    const lifeMs = claims.expiresAt.getTime() - claims.issuedAt.getTime()
    return { token, issuedAt, expiresAt: after(issuedAt, lifeMs) }
  }
  const tokens = onDemandToken(obtain, clock)
  const credentials: NonNullable<Connection['credentials']> = async (options) => {
    const { token } = await tokens.current(options)
    return token ? { authorization: token } : ((await given?.(options)) ?? {})
  }
  const { headers: _, ...same } = connection
  return {
    connection: { ...same, credentials },
    async settled(signal) {
      while (!signal.aborted) {
        try {
          await tokens.current({ signal })
          return
        } catch (error) {
          if (signal.aborted) return
          if (endings.some((code) => isFailure(error, code))) throw error
          log.warn({ err: error, account }, 'the hub could not be made its account')
          await sleep(clock, retryMs, signal).catch(() => {})
        }
      }
    },
  }
}

export interface OpenedAsHub extends AsyncDisposable {
  /** Of the hub. */
  readonly client: KubeClient
  /** Of whoever starts it. */
  readonly given: KubeClient
  readonly server: string
  settled(signal: AbortSignal): Promise<void>
}

/** The hub's API server, as the settings find it. A pod that has a kubeconfig from nobody is its own account already. */
export async function openAsHub(
  options: { kubeconfig?: string; context?: string; namespace: string },
  deps: CommandDeps,
  limits: ClientOptions,
): Promise<OpenedAsHub> {
  await using stack = new AsyncDisposableStack()
  const { client: given, connection, cluster } = await openCluster(options, deps, limits)
  stack.use(given)
  const { server } = connection
  const open = (client: KubeClient, settled: HubIdentity['settled']): OpenedAsHub => {
    const held = stack.move()
    return { client, given, server, settled, [Symbol.asyncDispose]: () => held.disposeAsync() }
  }
  if (cluster === undefined) return open(given, async () => {})
  const identity = hubIdentity({ ...deps, kube: given, connection, namespace: options.namespace })
  return open(stack.use(connect(identity.connection, { ...deps, options: limits })), identity.settled)
}

const endings = ['HUB_ACCOUNT_MISSING', 'HUB_ACCOUNT_FORBIDDEN', 'HUB_ACCOUNT_NO_TOKEN'] as const
const forever = new Date(8.64e15)
