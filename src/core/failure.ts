/**
 * Errors come from a catalogue: a stable code that callers switch on, an HTTP status, and a sentence that says what to
 * do. Each area declares its own in `failures.ts`; `docs/reference/errors.md` is generated from all of them.
 */
export class Failure extends Error {
  readonly code: string
  readonly status: number
  readonly params: Readonly<Record<string, unknown>>

  constructor(code: string, status: number, message: string, params: Record<string, unknown>, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Failure'
    this.code = code
    this.status = status
    this.params = params
  }
}

type Entries = Record<string, readonly [status: number, sentence: string]>
type ParamNames<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamNames<Rest> : never
type Params<S extends string> = { [Name in ParamNames<S>]: unknown }
type Make<S extends string> = [ParamNames<S>] extends [never]
  ? (params?: Record<never, never>, cause?: unknown) => Failure
  : (params: Params<S>, cause?: unknown) => Failure

export type Catalogue<E extends Entries> = { readonly [Code in keyof E]: Make<E[Code][1]> } & {
  readonly [entries]: E
}

/** The declared entries of a catalogue, for the generated reference page. */
export const entries = Symbol('entries')

/**
 * Declares failures. `{name}` in a sentence becomes a required, typed parameter of the constructor; a Secret passed
 * as one prints as ***.
 *
 * @example
 * export const failures = catalogue({ LEASE_HELD: [409, 'another replica ({holder}) leads until {until}'] })
 * throw failures.LEASE_HELD({ holder: 'a', until: '12:00' })
 */
export function catalogue<const E extends Entries>(declared: E): Catalogue<E> {
  const make = Object.entries(declared).map(([code, [status, sentence]]) => [
    code,
    (params: Record<string, unknown> = {}, cause?: unknown) =>
      new Failure(code, status, fill(sentence, params), params, cause),
  ])
  return Object.assign(Object.fromEntries(make), { [entries]: declared })
}

const fill = (sentence: string, params: Record<string, unknown>): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))

/** Whether `error` is the failure with this code, whichever area declared it. */
export const isFailure = (error: unknown, code?: string): error is Failure =>
  error instanceof Failure && (code === undefined || error.code === code)
