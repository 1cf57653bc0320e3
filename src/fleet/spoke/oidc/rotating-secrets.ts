import type { Secret } from '../../../core/secret.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'
import type { SecretKey } from '../contract.ts'

/** A successor that is not in its Secret yet. Nothing that is there is of use any more. */
export interface Unsaved {
  readonly value: Secret
  /** The token that a person gave and that it succeeds. */
  readonly original: Secret | undefined
}

/** Far more than there are while the hub can be written to. */
const mostUnsaved = 1_000

/**
 * Secrets of refresh tokens that change with each use. A token may be shown once only, so all of this process that share
 * one take turns from reading it until its successor is kept; and what could not be kept outlives the source it came to.
 */
export class RotatingSecrets {
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #unsaved = new BoundedMap<string, Unsaved>(mostUnsaved)

  /** Whoever waits does so for those before it alone, each of which has the deadline of its requests. */
  inTurn<R>({ namespace, name }: SecretKey, work: () => Promise<R>): Promise<R> {
    const key = `${namespace}/${name}`
    const result = (this.#turns.get(key) ?? Promise.resolve()).then(work)
    const over: Promise<unknown> = result
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(key) === over) this.#turns.delete(key)
      })
    this.#turns.set(key, over)
    return result
  }

  unsaved(token: SecretKey, rotatedKey: string): Unsaved | undefined {
    return this.#unsaved.get(placeOf(token, rotatedKey))
  }

  /** Undefined: it is in its Secret, or of no use. */
  setUnsaved(token: SecretKey, rotatedKey: string, unsaved: Unsaved | undefined): void {
    if (unsaved) this.#unsaved.set(placeOf(token, rotatedKey), unsaved)
    else this.#unsaved.delete(placeOf(token, rotatedKey))
  }
}

const placeOf = ({ namespace, name }: SecretKey, rotatedKey: string): string => `${namespace}/${name}/${rotatedKey}`
