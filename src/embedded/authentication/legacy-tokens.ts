import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { ApiObject } from '../objects.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { BearerToken } from './bearer-token.ts'
import type { Reference } from './bound-objects.ts'
import type { ServiceAccountKey } from './service-account-key.ts'
import { foreign } from './service-account-key.ts'
import { listed } from './service-account-tokens.ts'
import { serviceAccountGroups, serviceAccountName } from './user.ts'
import type { Notes, TokenAuthenticator, Verdict } from './verdict.ts'
import { forThisApi } from './verdict.ts'

/** What tokens that are kept in Secrets name as their issuer, whatever that of the others is. */
const legacyIssuer = 'kubernetes/serviceaccount'

const claim = (name: string) => `kubernetes.io/serviceaccount/${name}`
const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since'
const dayMs = 24 * 3_600_000

/** A token that lives as long as the Secret it is kept in. */
export const legacyToken = (key: ServiceAccountKey, namespace: string, account: Reference, secret: string): string =>
  key.sign({
    iss: legacyIssuer,
    [claim('namespace')]: namespace,
    [claim('secret.name')]: secret,
    [claim('service-account.name')]: account.name,
    [claim('service-account.uid')]: account.uid,
    sub: serviceAccountName(namespace, account.name),
  })

export interface LegacyTokensDeps {
  key: ServiceAccountKey
  store: Pick<Store, 'get'>
  clock: Pick<Clock, 'now'>
  /** Of this API. */
  audiences: readonly string[]
  /** Writes down on the Secret of a token on which day it was last used. */
  noteUse(secret: ApiObject, labels: Readonly<Record<string, string>>): Promise<void>
}

/** Knows the tokens that are kept in Secrets of the type `kubernetes.io/service-account-token`. */
export class LegacyTokens implements TokenAuthenticator {
  readonly #deps: LegacyTokensDeps

  constructor(deps: LegacyTokensDeps) {
    this.#deps = deps
  }

  authenticate(token: BearerToken, asked: readonly string[]): Verdict | undefined | Promise<Verdict> {
    const { jwt } = token
    if (jwt?.claims['iss'] !== legacyIssuer) return undefined
    const why = this.#deps.key.whyNotMine(jwt)
    if (why === foreign) return undefined
    if (why) return { error: why }
    const audiences = forThisApi(this.#deps.audiences, asked)
    if (audiences.length === 0)
      return {
        error: `token audiences ${listed(this.#deps.audiences)} is invalid for the target audiences ${listed(asked)}`,
      }
    return this.#judge(readClaims(jwt.claims), token, audiences)
  }

  async #judge(claims: Claims, token: BearerToken, audiences: readonly string[]): Promise<Verdict> {
    const missing = whyIncomplete(claims)
    if (missing) return { error: missing }
    const { namespace, account, uid } = claims
    const secret = this.#find('secrets', namespace, claims.secret)
    if (!secret || secret.metadata.deletionTimestamp) return { error: 'Token has been invalidated' }
    if (!isKeptIn(secret, token)) return { error: "Token does not match server's copy" }
    const held = this.#find('serviceaccounts', namespace, account)
    if (!held) return { error: `serviceaccounts ${JSON.stringify(account)} not found` }
    if (held.metadata.deletionTimestamp) return { error: `ServiceAccount ${namespace}/${account} has been deleted` }
    if (held.metadata.uid !== uid)
      return { error: `ServiceAccount UID (${held.metadata.uid}) does not match claim (${uid})` }
    await this.#noteUse(secret)
    if (secret.metadata.labels?.[invalidSinceLabel]) return { error: markedInvalid(claims) }
    const user = { name: claims.subject, uid, groups: serviceAccountGroups(namespace) }
    return { user, audiences, notes: notesOn(claims, held) }
  }

  #find(storage: string, namespace: string, name: string): ApiObject | undefined {
    const entry = this.#deps.store.get(storage, namespace, name)
    return entry && parsed(entry)
  }

  /** Once a day. Tomorrow will do as well: another server's clock may be ahead. */
  async #noteUse(secret: ApiObject): Promise<void> {
    const now = this.#deps.clock.now()
    const [today, tomorrow] = [dayOf(now), dayOf(after(now, dayMs))]
    const lastUsed = secret.metadata.labels?.[lastUsedLabel]
    if (lastUsed !== today && lastUsed !== tomorrow) await this.#deps.noteUse(secret, { [lastUsedLabel]: today })
  }
}

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

interface Claims {
  readonly subject: string
  readonly namespace: string
  readonly secret: string
  readonly account: string
  readonly uid: string
}

function readClaims(claims: Readonly<Record<string, unknown>>): Claims {
  const text = (name: string): string => (typeof claims[name] === 'string' ? claims[name] : '')
  return {
    subject: text('sub'),
    namespace: text(claim('namespace')),
    secret: text(claim('secret.name')),
    account: text(claim('service-account.name')),
    uid: text(claim('service-account.uid')),
  }
}

function whyIncomplete({ subject, namespace, secret, account, uid }: Claims): string | undefined {
  if (subject === '') return 'sub claim is missing'
  if (namespace === '') return 'namespace claim is missing'
  if (secret === '') return 'secretName claim is missing'
  if (account === '') return 'serviceAccountName claim is missing'
  if (uid === '') return 'serviceAccountUID claim is missing'
  return subject === serviceAccountName(namespace, account) ? undefined : 'sub claim is invalid'
}

function isKeptIn(secret: ApiObject, token: BearerToken): boolean {
  const { token: kept = '' } = (secret['data'] ?? {}) as { token?: string }
  const [one, other] = [Buffer.from(kept, 'base64'), Buffer.from(token.reveal())]
  return one.length === other.length && timingSafeEqual(one, other)
}

const inAudit = (name: string) => `authentication.k8s.io/legacy-token${name}`

/** A Secret that its account names was made for it, in the days when every account had one. */
function notesOn({ subject, secret }: Claims, account: ApiObject): Notes {
  const { secrets = [] } = account as { secrets?: readonly { name?: string }[] }
  return secrets.some(({ name }) => name === secret)
    ? {
        warning:
          'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
        annotations: { [inAudit('')]: subject, [inAudit('-autogenerated-secret')]: secret },
      }
    : { annotations: { [inAudit('')]: subject, [inAudit('-manual-secret')]: secret } }
}

const markedInvalid = ({ namespace, secret, account }: Claims): string =>
  `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`
