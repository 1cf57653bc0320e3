import type { KeyObject } from 'node:crypto'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { Secret } from '../core/secret.ts'
import { failures } from './failures.ts'
import { onlyBlocks, splitPem } from './pem.ts'

export interface KeyPair {
  /** PKCS#8. */
  keyPem: Secret
  publicKeyPem: string
}

/** A new EC P-256 key. */
export function generateKey(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return { keyPem: Secret.of(privateKey), publicKeyPem: publicKey }
}

/** The public half of a private key. */
export const publicKeyOf = (keyPem: Secret): string => exportPublicKey(createPublicKey(readPrivateKey(keyPem)))

/** SHA-256 over the public half in its standard encoding (SPKI), lower-case hex: tells keys apart, reveals nothing. */
export const publicKeyDigest = (keyPem: Secret): string =>
  createHash('sha256')
    .update(spkiOf(createPublicKey(readPrivateKey(keyPem))))
    .digest('hex')

/** Whether the first certificate of a chain belongs to this private key. */
export function keyMatches(certPem: string, keyPem: Secret): boolean {
  const key = readPrivateKey(keyPem)
  const [leaf] = onlyBlocks(certPem, 'CERTIFICATE')
  try {
    return new X509Certificate(leaf).checkPrivateKey(key)
  } catch (error) {
    throw failures.PKI_CERTIFICATE_INVALID({ detail: 'it is not a certificate' }, error)
  }
}

const encodings: Readonly<Record<string, 'pkcs8' | 'sec1' | 'pkcs1'>> = {
  'PRIVATE KEY': 'pkcs8',
  'EC PRIVATE KEY': 'sec1',
  'RSA PRIVATE KEY': 'pkcs1',
}

/** The first private key of a PEM text; curve parameters and certificates may stand beside it. */
export function readPrivateKey(keyPem: Secret): KeyObject {
  const block = splitPem(keyPem.reveal()).find(({ label }) => label.endsWith('PRIVATE KEY'))
  const type = encodings[block?.label ?? '']
  if (!block || !type) throw failures.PKI_KEY_UNREADABLE()
  try {
    return createPrivateKey({ key: block.der, format: 'der', type })
  } catch (error) {
    throw failures.PKI_KEY_UNREADABLE({}, error)
  }
}

export function readPublicKey(publicKeyPem: string): KeyObject {
  const [spki] = onlyBlocks(publicKeyPem, 'PUBLIC KEY')
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' })
  } catch (error) {
    throw failures.PKI_KEY_UNREADABLE({}, error)
  }
}

export const spkiOf = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' })

export const exportPublicKey = (publicKey: KeyObject): string =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString()
