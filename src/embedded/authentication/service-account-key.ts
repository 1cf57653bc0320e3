import type { KeyObject } from 'node:crypto'
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { Secret } from '../../core/secret.ts'
import type { Jwt } from './bearer-token.ts'
import { failures } from './failures.ts'

export interface KeyInput {
  keyPem: Secret
  publicKeyPem: string
}

/** RFC 7517, in the order of Kubernetes. */
export interface PublicJwk {
  readonly use: string
  readonly kty: string
  readonly kid: string
  readonly alg: string
  readonly [number: string]: string | undefined
}

interface Algorithm {
  readonly name: string
  readonly hash: string
}

const curves: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: 'ES256', hash: 'sha256' },
  secp384r1: { name: 'ES384', hash: 'sha384' },
  secp521r1: { name: 'ES512', hash: 'sha512' },
}

/** Signs the tokens of service accounts and knows them again. */
export class ServiceAccountKey {
  /** Derived from the public key, so that whoever holds that can tell which key a token needs. */
  readonly id: string
  readonly #algorithm: Algorithm
  readonly #key: KeyObject
  readonly #publicKey: KeyObject
  readonly #head: string

  constructor({ keyPem, publicKeyPem }: KeyInput) {
    try {
      this.#key = createPrivateKey(keyPem.reveal())
      this.#publicKey = createPublicKey(publicKeyPem)
    } catch (error) {
      throw failures.AUTHENTICATION_KEY_UNFIT({ detail: 'it cannot be read' }, error)
    }
    this.#algorithm = algorithmOf(this.#publicKey)
    const der = this.#publicKey.export({ format: 'der', type: 'spki' })
    this.id = createHash('sha256').update(der).digest('base64url')
    this.#head = encode({ alg: this.#algorithm.name, kid: this.id })
  }

  /** As others are told it, to check tokens with. */
  get jwk(): PublicJwk {
    const { kty = '', crv, x, y, n, e } = this.#publicKey.export({ format: 'jwk' })
    const head = { use: 'sig', kty, kid: this.id, ...(crv && { crv }), alg: this.#algorithm.name }
    return crv ? { ...head, x, y } : { ...head, n, e }
  }

  sign(claims: Readonly<Record<string, unknown>>): string {
    const signed = `${this.#head}.${encode(claims)}`
    const key = { key: this.#key, dsaEncoding: 'ieee-p1363' } as const
    return `${signed}.${sign(this.#algorithm.hash, Buffer.from(signed), key).toString('base64url')}`
  }

  /** Why the signature is none of this key, in the words of Kubernetes. `foreign`: made in a way that it never signs. */
  whyNotMine({ header, signed, signature }: Jwt): string | undefined {
    if (header['alg'] !== this.#algorithm.name) return foreign
    if (header['kid'] !== undefined && header['kid'] !== this.id) return 'invalid signature, no keys found'
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' } as const
    const isMine = verify(this.#algorithm.hash, Buffer.from(signed), key, signature)
    return isMine ? undefined : 'go-jose/go-jose: error in cryptographic primitive'
  }
}

export const foreign = 'foreign'

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'rsa') return { name: 'RS256', hash: 'sha256' }
  const found = asymmetricKeyType === 'ec' && curves[asymmetricKeyDetails?.namedCurve ?? '']
  if (!found) throw failures.AUTHENTICATION_KEY_UNFIT({ detail: `it is of type ${asymmetricKeyType}` })
  return found
}
