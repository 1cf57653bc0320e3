import type { KeyObject } from 'node:crypto'
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'
import { nonceLength, pack, tagLength, unpack } from './packed.ts'
import type { KeyRing } from './ring.ts'

/** What a sealed token belongs to: pasted into another row it does not open. */
export interface SealedFor {
  credentialId: string
  registryId: string
  instanceId: string
}

export interface Sealed {
  token: Buffer
  keyId: string
}

/** Seals tokens with the active key of the ring, and opens them with whichever key sealed them. */
export interface TokenVault {
  readonly activeKeyId: string
  readonly keyIds: ReadonlySet<string>
  seal(owner: SealedFor, token: Secret): Sealed
  /** Throws PULL_TOKEN_UNREADABLE: a wrong tag, or a key that is not in the ring. */
  open(owner: SealedFor, sealed: Buffer): Secret
}

const algorithm = 'aes-256-gcm'
// Node takes shorter tags unless told the length, and those are easy to forge.
const options = { authTagLength: tagLength }

/** AES-256-GCM in this process, so that no key is ever part of a statement. A function gives the ring of the moment. */
export function tokenVault(ring: KeyRing | (() => KeyRing)): TokenVault {
  const current = typeof ring === 'function' ? ring : () => ring
  return {
    get activeKeyId() {
      return current().active
    },
    get keyIds() {
      return new Set(current().keys.keys())
    },
    seal(owner, token) {
      const { active, keys } = current()
      const key = keys.get(active)
      if (!key) throw failures.PULL_KEY_UNKNOWN({ key: active })
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, prepared(key), nonce, options).setAAD(aad(owner))
      const ciphertext = Buffer.concat([cipher.update(token.reveal(), 'utf8'), cipher.final()])
      return { token: pack({ keyId: active, nonce, ciphertext, tag: cipher.getAuthTag() }), keyId: active }
    },
    open(owner, sealed) {
      const unreadable = (cause?: unknown) => failures.PULL_TOKEN_UNREADABLE({ credential: owner.credentialId }, cause)
      const packed = unpack(sealed)
      const key = packed && current().keys.get(packed.keyId)
      if (!packed || !key) throw unreadable()
      const decipher = createDecipheriv(algorithm, prepared(key), packed.nonce, options)
      decipher.setAAD(aad(owner)).setAuthTag(packed.tag)
      try {
        return Secret.of(Buffer.concat([decipher.update(packed.ciphertext), decipher.final()]).toString('utf8'))
      } catch (error) {
        throw unreadable(error)
      }
    },
  }
}

const keyObjects = new WeakMap<Secret<Uint8Array>, KeyObject>()

/** Node takes four times as long to open a token when it is given the bytes of the key. */
function prepared(key: Secret<Uint8Array>): KeyObject {
  const known = keyObjects.get(key)
  if (known) return known
  const made = createSecretKey(key.reveal())
  keyObjects.set(key, made)
  return made
}

/** No two owners give the same bytes, whatever characters they hold. */
const aad = ({ credentialId, registryId, instanceId }: SealedFor): Buffer =>
  Buffer.from(JSON.stringify([credentialId, registryId, instanceId]))
