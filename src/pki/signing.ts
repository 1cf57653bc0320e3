import type { KeyObject, webcrypto } from 'node:crypto'
import { createPublicKey } from 'node:crypto'
import { failures } from './failures.ts'

const curves: Readonly<Record<string, { namedCurve: string; hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
}

export interface SigningKey {
  keys: { privateKey: webcrypto.CryptoKey; publicKey: webcrypto.CryptoKey }
  algorithm: { name: string; hash: string }
}

/** A private key as the encoding library wants it, with the signature algorithm that fits the key. */
export function signingKey(privateKey: KeyObject): SigningKey {
  const { hash, ...algorithm } = algorithmOf(privateKey)
  const imported = algorithm.name === 'RSASSA-PKCS1-v1_5' ? { ...algorithm, hash } : algorithm
  return {
    keys: {
      privateKey: privateKey.toCryptoKey(imported, false, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(imported, true, ['verify']),
    },
    algorithm: { name: algorithm.name, hash },
  }
}

function algorithmOf(key: KeyObject): { name: string; hash: string; namedCurve?: string } {
  const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown'
  const curve = curves[kind]
  if (curve) return { name: 'ECDSA', ...curve }
  if (kind === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  if (kind === 'ed25519') return { name: 'Ed25519', hash: 'SHA-512' }
  throw failures.PKI_KEY_UNSUITABLE({ kind })
}
