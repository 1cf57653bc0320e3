import type { webcrypto } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import { compactVerify, createLocalJWKSet } from 'jose'
import type { Clock } from '../../core/clock.ts'
import { failures } from './failures.ts'
import type { IssuerFields } from './file-schema.ts'
import { getJson } from './https-json.ts'

export interface ProviderDeps {
  clock: Clock
}

type Keys = ReturnType<typeof createLocalJWKSet>

const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']
const answerMs = 30_000
/** A token with a key that nobody knows makes us ask the provider; many of them must not make us ask without end. */
const pauseBetweenKeysMs = 1_000

/** An OpenID provider: where its keys are, and which they are at present. */
export class OidcProvider {
  readonly issuer: IssuerFields
  readonly #deps: ProviderDeps
  #keysUrl: string | undefined
  #keys: Keys | undefined
  #fetching: Promise<void> | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY

  constructor(issuer: IssuerFields, deps: ProviderDeps) {
    this.issuer = issuer
    this.#deps = deps
  }

  /** Whether the provider has been heard of. */
  get isKnown(): boolean {
    return this.#keysUrl !== undefined
  }

  /** Asks the provider about itself. Throws AUTHENTICATION_PROVIDER_AWAY. */
  async discover(): Promise<void> {
    const { url = '', discoveryURL } = this.issuer
    const address = discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
    const found = (await this.#get(address)) as { issuer?: unknown; jwks_uri?: unknown } | null
    if (found?.issuer !== url)
      throw failures.AUTHENTICATION_PROVIDER_AWAY({ url, detail: `it calls itself ${JSON.stringify(found?.issuer)}` })
    if (typeof found.jwks_uri !== 'string' || !URL.canParse(found.jwks_uri))
      throw failures.AUTHENTICATION_PROVIDER_AWAY({ url, detail: 'it does not say where its keys are' })
    this.#keysUrl = found.jwks_uri
  }

  /** Whether the provider signed this token. Keys that are new to us are asked for. */
  async hasSigned(token: string): Promise<boolean> {
    const known = this.#keys
    if (known && (await isSignedWith(known, token))) return true
    await this.#refresh()
    return this.#keys !== undefined && this.#keys !== known && (await isSignedWith(this.#keys, token))
  }

  async #refresh(): Promise<void> {
    const now = this.#deps.clock.now().getTime()
    if (!this.#fetching && now - this.#fetchedAt >= pauseBetweenKeysMs) {
      this.#fetchedAt = now
      this.#fetching = this.#fetchKeys().finally(() => {
        this.#fetching = undefined
      })
    }
    await this.#fetching
  }

  async #fetchKeys(): Promise<void> {
    const { url } = this.issuer
    const found = await this.#get(this.#keysUrl ?? '')
    try {
      this.#keys = createLocalJWKSet(found as JSONWebKeySet)
    } catch (error) {
      throw failures.AUTHENTICATION_PROVIDER_AWAY({ url, detail: 'its keys are no key set' }, error)
    }
  }

  async #get(address: string): Promise<unknown> {
    const { url, certificateAuthority } = this.issuer
    try {
      const ca = certificateAuthority || undefined
      return await getJson(address, { ca, clock: this.#deps.clock, deadlineMs: answerMs })
    } catch (error) {
      throw failures.AUTHENTICATION_PROVIDER_AWAY({ url, detail: (error as Error).message }, error)
    }
  }
}

/** Several keys may go by one name; any of them will do. */
async function isSignedWith(keys: Keys, token: string): Promise<boolean> {
  try {
    await compactVerify(token, keys, { algorithms })
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') return false
    for await (const key of error as unknown as AsyncIterable<webcrypto.CryptoKey>) {
      const isGood = await compactVerify(token, key, { algorithms }).then(
        () => true,
        () => false,
      )
      if (isGood) return true
    }
    return false
  }
}
