import type { Attributes, Authorizer, Decision } from '../authorization/attributes.ts'
import type { Decide } from './authorizer.ts'

/** In Kubernetes a check costs 350 000, and an expression may come to 1 000 000. */
const mostOfOne = 2
/** All expressions together may come to 2 500 000 there. */
const mostOfAll = 7

const tooMany = () => new Error('operation cancelled: actual cost limit exceeded')

/** More was asked than all expressions may ask together: whatever they came to counts for nothing. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run')
    this.name = 'OutOfBudget'
  }
}

/** An authorizer could not be asked, for the reason that is its cause. That says nothing about the expression. */
export class Undecided extends Error {}

interface Attempt {
  asked: number
  /** The first decision that was not known. */
  missing?: { readonly key: string; readonly attributes: Attributes }
}

/**
 * Lets expressions, which cannot wait, ask an authorizer, which must be waited for: an evaluation fails at the first
 * decision that is not known yet, and is done again once it is. Kubernetes lets an expression ask so little that this
 * is soon over.
 */
export class Checks {
  readonly #authorizer: Authorizer
  readonly #known = new Map<string, Decision>()
  #attempt: Attempt = { asked: 0 }
  #askedByAll = 0

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
  }

  /** What an expression may be given, inside of `evaluate`. */
  readonly decide: Decide = (attributes) => {
    const attempt = this.#attempt
    attempt.asked++
    if (attempt.asked > mostOfOne) throw tooMany()
    const key = JSON.stringify(attributes)
    const known = this.#known.get(key)
    if (known) return known
    attempt.missing ??= { key, attributes }
    throw new Error('a decision is missing')
  }

  /** What an expression comes to. Rejects with what it throws, or when it asks too much, even where it would not mind. */
  async evaluate<T>(run: () => T): Promise<T> {
    for (let round = 0; round <= mostOfOne; round++) {
      const attempt: Attempt = { asked: 0 }
      this.#attempt = attempt
      const outcome = settled(run)
      if (!attempt.missing) {
        this.#pay(attempt.asked)
        return outcome()
      }
      const { key, attributes } = attempt.missing
      this.#known.set(key, await this.#ask(attributes))
    }
    throw tooMany()
  }

  async #ask(attributes: Attributes): Promise<Decision> {
    try {
      return await this.#authorizer.authorize(attributes)
    } catch (cause) {
      throw new Undecided('the authorizers could not be asked', { cause })
    }
  }

  #pay(asked: number): void {
    this.#askedByAll += Math.min(asked, mostOfOne + 1)
    if (this.#askedByAll > mostOfAll) throw new OutOfBudget()
    if (asked > mostOfOne) throw tooMany()
  }
}

/** Nothing is thrown yet: what `decide` threw may lie behind it, or behind a value that an operator gave all the same. */
function settled<T>(run: () => T): () => T {
  try {
    const value = run()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
