import { ApiFailure } from '../../status.ts'

/** The refusal of a body that no object can be made of, with the beginning of that body. */
export class Unrecognized extends ApiFailure {
  readonly why: string

  constructor(bytes: Uint8Array, why: string, kind: string) {
    const about = `the object provided is unrecognized (must be of type ${kind})`
    super(400, 'BadRequest', `${about}: ${why} (${summary(Buffer.from(bytes))})`)
    this.why = why
  }
}

export const unrecognized = (bytes: Uint8Array, why: string, kind: string) => new Unrecognized(bytes, why, kind)

export const notJson = (why: string): string => `couldn't get version/kind; json parse error: ${why}`

const shownBytes = 30

function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const shown = bytes.subarray(0, shownBytes)
  const text = bytes[0] === 0x7b ? shown.toString('utf8') : shown.toString('hex')
  return bytes.length > shownBytes ? `${text} ...` : text
}
