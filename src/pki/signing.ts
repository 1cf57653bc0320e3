import type { KeyObject } from 'node:crypto'
import { sign } from 'node:crypto'
import { bitString, element, oid, sequence } from './der-write.ts'
import { failures } from './failures.ts'
import { signatureOids } from './oids.ts'

interface Scheme {
  oid: string
  /** None where the algorithm hashes by itself. */
  hash: string | null
  /** Whether it has parameters: RSA has, and they are null. */
  hasNull?: boolean
}

/** By curve or kind of key. Of ECDSA the hash is as long as the key. */
const schemes: Readonly<Record<string, Scheme>> = {
  prime256v1: { oid: signatureOids.ecdsaSha256, hash: 'sha256' },
  secp384r1: { oid: signatureOids.ecdsaSha384, hash: 'sha384' },
  secp521r1: { oid: signatureOids.ecdsaSha512, hash: 'sha512' },
  rsa: { oid: signatureOids.rsaSha256, hash: 'sha256', hasNull: true },
  ed25519: { oid: signatureOids.ed25519, hash: null },
}

const nothing = element(0x05)

/** How a key signs. */
export interface Signer {
  /** The AlgorithmIdentifier in DER, which a certificate repeats inside of what is signed. */
  algorithm: Buffer
  /** What is signed, the algorithm, the signature: a whole certificate or request in DER. */
  signed(content: Buffer): Buffer
}

export function signerWith(key: KeyObject): Signer {
  const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown'
  const scheme = schemes[kind]
  if (!scheme) throw failures.PKI_KEY_UNSUITABLE({ kind })
  const algorithm = sequence(oid(scheme.oid), ...(scheme.hasNull ? [nothing] : []))
  return { algorithm, signed: (content) => sequence(content, algorithm, bitString(sign(scheme.hash, content, key))) }
}
