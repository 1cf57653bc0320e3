/** The few shapes that protobuf has on the wire, for tests that write bodies by hand. */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Buffer.from(bytes)
}

export const tag = (field: number, wireType: number): Buffer => varint(field * 8 + wireType)

export const integer = (field: number, value: number | bigint): Buffer => Buffer.concat([tag(field, 0), varint(value)])

export function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([tag(field, 1), bytes])
}

/** A text, bytes, or a message of these parts. */
export function delimited(field: number, ...parts: (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([tag(field, 2), varint(content.length), content])
}

export const mapEntry = (field: number, key: string, value: string | Buffer): Buffer =>
  delimited(field, delimited(1, key), delimited(2, value))

export const magic = Buffer.from('k8s\0')

/** As Kubernetes sends an object: with a magic number and what it is. */
export const envelope = (apiVersion: string, kind: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([magic, delimited(1, delimited(1, apiVersion), delimited(2, kind)), delimited(2, ...parts)])
