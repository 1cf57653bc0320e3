/**
 * How a sealed token lies in its column: a byte for the version of this form, the length of the key's id and the id, the
 * nonce, the ciphertext, the tag.
 */
export interface Packed {
  keyId: string
  nonce: Buffer
  ciphertext: Buffer
  tag: Buffer
}

export const nonceLength = 12
export const tagLength = 16
const version = 1

export function pack({ keyId, nonce, ciphertext, tag }: Packed): Buffer {
  const id = Buffer.from(keyId)
  return Buffer.concat([Buffer.from([version, id.length]), id, nonce, ciphertext, tag])
}

/** Undefined when it has another form. */
export function unpack(bytes: Buffer): Packed | undefined {
  const idLength = bytes[1]
  if (bytes[0] !== version || idLength === undefined) return undefined
  const nonceAt = 2 + idLength
  const ciphertextAt = nonceAt + nonceLength
  const tagAt = bytes.length - tagLength
  if (tagAt < ciphertextAt) return undefined
  return {
    keyId: bytes.toString('utf8', 2, nonceAt),
    nonce: bytes.subarray(nonceAt, ciphertextAt),
    ciphertext: bytes.subarray(ciphertextAt, tagAt),
    tag: bytes.subarray(tagAt),
  }
}
