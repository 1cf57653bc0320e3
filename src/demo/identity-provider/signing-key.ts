import { createHash, createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import { Secret } from '../../core/secret.ts'

/** A new RSA key, PKCS#8. RSA, because an API server told of a provider by flags takes nothing but RS256. */
export async function makeSigningKey(): Promise<Secret> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return Secret.of(privateKey)
}

/** The private key for the library, named after its public half: the same key has the same name after a restart. */
export function signingJwk(key: Secret): JWK {
  const spki = createPublicKey(key.reveal()).export({ type: 'spki', format: 'der' })
  const kid = createHash('sha256').update(spki).digest('base64url').slice(0, 16)
  return { ...createPrivateKey(key.reveal()).export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
}
