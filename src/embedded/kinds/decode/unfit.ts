import { ApiFailure } from '../../status.ts'

/** A value that the field it stands in cannot hold. */
export class Unfit extends Error {
  /** Of what was sent: `number`, or with a literal `number 1.5`. Undefined when `message` says all there is to say. */
  readonly found: string | undefined
  readonly goType: string | undefined

  constructor(message: string, found?: string, goType?: string) {
    super(message)
    this.found = found
    this.goType = goType
  }
}

/** The 400 for an object that cannot be decoded. `why` alone is what a patch is refused with. */
export class Undecodable extends ApiFailure {
  readonly why: string

  constructor(kind: string, version: string, why: string, expectedKind = kind) {
    super(400, 'BadRequest', `${kind} in version "${version}" cannot be handled as a ${expectedKind}: ${why}`)
    this.name = 'Undecodable'
    this.why = why
  }
}
