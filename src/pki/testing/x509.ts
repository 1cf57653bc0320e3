// The library reads metadata by a polyfill that has to come first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { Secret } from '../../core/secret.ts'
import { publicKeyOf, readPrivateKey, readPublicKey } from '../keys.ts'

/** An implementation of the same standards that is not ours: it reads what we write, and writes what we never would. */
export { x509 }

/** Passed to every call of the library, so that its global provider is never asked. */
export const crypto = webcrypto

const p256 = { name: 'ECDSA', namedCurve: 'P-256' }

/** A P-256 key as the library wants it. */
export const cryptoKeys = (keyPem: Secret) => ({
  privateKey: readPrivateKey(keyPem).toCryptoKey(p256, false, ['sign']),
  publicKey: readPublicKey(publicKeyOf(keyPem)).toCryptoKey(p256, true, ['verify']),
})
