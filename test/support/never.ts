import { AssertionError } from 'node:assert'

/** What a busy machine is no excuse for. */
export type Harm = 'lost' | 'doubled' | 'leaked' | 'allowed'

/**
 * Marks what these assertions throw: a file that fails by it is not tried again (tools/test/chance.ts).
 *
 * @example never('doubled', () => assert.equal(accounts.length, 1))
 */
export function never<T>(harm: Harm, assertions: () => T): T {
  try {
    const result = assertions()
    return result instanceof Promise ? (result.catch((error) => rethrow(harm, error)) as T) : result
  } catch (error) {
    return rethrow(harm, error)
  }
}

function rethrow(harm: Harm, error: unknown): never {
  throw error instanceof AssertionError ? Object.assign(error, { harm }) : error
}
