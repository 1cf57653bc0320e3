import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { Shares } from '../shares.ts'
import { unauthorized } from '../status.ts'
import type { Store } from '../storage/store.ts'
import type { AnonymousRules } from './authentication-config.ts'
import { anonymousEverywhere } from './authentication-config.ts'
import { BearerToken, bearerTokenOf } from './bearer-token.ts'
import { BootstrapTokens } from './bootstrap-tokens.ts'
import type { Reference } from './bound-objects.ts'
import { ClientCertificates } from './client-certificates.ts'
import { ConfigFile } from './config-file.ts'
import { failures } from './failures.ts'
import type { JwtFields } from './file-schema.ts'
import type { IssuerDocuments } from './issuer-documents.ts'
import { issuerDocuments } from './issuer-documents.ts'
import type { LegacyTokensDeps } from './legacy-tokens.ts'
import { LegacyTokens, legacyToken } from './legacy-tokens.ts'
import { OidcIssuers } from './oidc-issuers.ts'
import type { OidcOptions } from './oidc-options.ts'
import { jwtOfOptions } from './oidc-options.ts'
import { ServiceAccountKey } from './service-account-key.ts'
import type { ServiceAccountTokensInput } from './service-account-tokens.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import { openTokenWebhook } from './token-webhook.ts'
import type { Authenticator, Presented, User } from './user.ts'
import { system } from './user.ts'
import type { TokenAuthenticator, Verdict } from './verdict.ts'
import { asAuthenticated, isAccepted, joinErrors } from './verdict.ts'

export interface AuthenticationDeps {
  store: Pick<Store, 'get'>
  clock: Clock
  random: Random
  log: Log
  /** Authorities of clients. */
  clientCaPem: string
  serviceAccounts: ServiceAccountTokensInput
  /** Of tokens that are kept in Secrets. */
  noteUse: LegacyTokensDeps['noteUse']
  /** An AuthenticationConfiguration, looked at again while this runs. Excludes `oidc`. */
  config?: string | undefined
  oidc?: OidcOptions | undefined
  /** The kubeconfig of a webhook for TokenReviews. */
  tokenWebhook?: string | undefined
  /** How long its answers count. Default two minutes. */
  tokenWebhookTtlMs?: number | undefined
}

export interface ServerAuthenticator extends Authenticator {
  /** For TokenRequests. */
  readonly tokens: ServiceAccountTokens
  /** For Secrets that hold the token of an account. */
  secretToken(namespace: string, account: Reference, secret: string): string
  /** What whoever is shown a token of a service account needs to judge it. */
  readonly issuerDocuments: IssuerDocuments
  /** What is to be said of a token, for TokenReviews. Users are as `authenticate` gives them. Default audiences: this API's. */
  review(token: string, audiences?: readonly string[]): Promise<Verdict>
  /** Looks at the configuration file at once. */
  reload(): Promise<void>
  /** Keeps in touch with providers, webhook and file. */
  readonly run: Run
}

const invalidToken = 'invalid bearer token'

/** At a time, of all clients; of one address beside others, its share. */
const mostAtWebhook = 1_000

/** Everybody who can tell who somebody is, in the order in which they are asked. Throws what cannot be started with. */
export async function createAuthenticator(deps: AuthenticationDeps): Promise<ServerAuthenticator> {
  const { store, clock, log, clientCaPem, serviceAccounts, config: configFile, oidc } = deps
  if (oidc && configFile !== undefined) throw failures.AUTHENTICATION_OIDC_TWICE({ file: configFile })
  const certificates = new ClientCertificates({ clock, caPem: clientCaPem })
  const tokens = new ServiceAccountTokens({ ...serviceAccounts, store, clock })
  const { audiences } = tokens
  const reserved = [tokens.issuer]

  let anonymous: AnonymousRules = anonymousEverywhere
  let authenticators: readonly JwtFields[] = oidc ? [jwtOfOptions(oidc, reserved)] : []
  let file: ConfigFile | undefined
  if (configFile !== undefined) {
    const onChange: ConstructorParameters<typeof ConfigFile>[1]['onChange'] = (config) => {
      issuers.replace(config.jwt)
      if (!isDeepStrictEqual(config.anonymous, anonymous))
        log.warn({ file: configFile }, 'a change of the anonymous rules counts after a restart')
    }
    file = new ConfigFile(configFile, { clock, log, reserved, onChange })
    const config = await file.load()
    authenticators = config.jwt
    anonymous = config.anonymous
  }
  const issuers = new OidcIssuers({ clock, log, audiences }, authenticators)
  const webhook =
    deps.tokenWebhook === undefined
      ? undefined
      : await openTokenWebhook(deps.tokenWebhook, deps.tokenWebhookTtlMs, { ...deps, audiences })
  const key = new ServiceAccountKey(serviceAccounts)
  const known: readonly TokenAuthenticator[] = [
    new LegacyTokens({ key, store, clock, audiences, noteUse: deps.noteUse }),
    tokens,
    new BootstrapTokens({ store, clock, audiences }),
    issuers,
    ...(webhook ? [webhook] : []),
  ]

  /** Anybody may send tokens that only the webhook can judge, and have it asked about each. */
  const atWebhook = new Shares(mostAtWebhook)

  const judge = async (token: BearerToken, asked: readonly string[], address = ''): Promise<Verdict> => {
    const errors = [invalidToken]
    for (const authenticator of known) {
      using _place = authenticator === webhook ? atWebhook.take(address) : undefined
      const answer = authenticator.authenticate(token, asked)
      const verdict = answer instanceof Promise ? await answer : answer
      if (!verdict) continue
      if (isAccepted(verdict)) return { ...verdict, user: asAuthenticated(verdict.user) }
      errors.push(verdict.error)
    }
    return { error: joinErrors(errors) }
  }

  return {
    tokens,
    secretToken: (namespace, account, secret) => legacyToken(key, namespace, account, secret),
    issuerDocuments: issuerDocuments(key, serviceAccounts.issuer),
    authenticate: async (presented, path, note) => {
      const verdict = await identify(presented, certificates, (token) => judge(token, audiences, presented.address))
      if (verdict) {
        if (isAccepted(verdict)) {
          if (verdict.notes) note?.(verdict.notes)
          return asAuthenticated(verdict.user)
        }
        log.debug({ reason: verdict.error }, 'credentials refused')
      } else if (admitsAnonymous(anonymous, path)) return anonymousUser
      throw unauthorized()
    },
    review: (token, asked = audiences) => judge(new BearerToken(token), asked.length > 0 ? asked : audiences),
    reload: async () => await file?.reload(),
    run: async (signal) => {
      try {
        await runTogether(signal, [
          aborted,
          (stop) => issuers.run(stop),
          ...(file ? [(stop: AbortSignal) => file.run(stop)] : []),
        ])
      } finally {
        await webhook?.close()
      }
    },
  }
}

/** A certificate first, then a token: a bad certificate does not stand in the way of a good token, nor the other way round. */
async function identify(
  { certificate, authorization }: Presented,
  certificates: ClientCertificates,
  judge: (token: BearerToken) => Promise<Verdict>,
): Promise<Verdict | undefined> {
  const byCertificate = certificate && certificates.authenticate(certificate)
  if (byCertificate && isAccepted(byCertificate)) return byCertificate
  const token = bearerTokenOf(authorization)
  if (!token) return byCertificate
  const byToken = await judge(token)
  if (isAccepted(byToken) || !byCertificate) return byToken
  return { error: joinErrors([byCertificate.error, byToken.error]) }
}

const anonymousUser: User = { name: system.anonymous, groups: [system.unauthenticated] }

const admitsAnonymous = ({ enabled, paths }: AnonymousRules, path: string): boolean =>
  enabled && (paths === undefined || paths.includes(path))
