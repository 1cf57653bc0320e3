import { badRequest } from '../status.ts'

/** Parameters of a request as Kubernetes reads them. Of several with one name, the first counts. */

/** Whatever is said but `0` and `false` is a yes, nothing at all included. Undefined: the client does not say. */
export function booleanIn(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false'
}

const mostInteger = 2n ** 63n - 1n

export function integerIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const why = integerFlaw(text, /^[+-]?\d+$/, mostInteger)
  if (why) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
  return Number(text)
}

/** Why it is no resourceVersion. */
export function versionFlaw(text: string): string | undefined {
  const why = integerFlaw(text, /^\d+$/, 2n * mostInteger + 1n)
  const quoted = JSON.stringify(text)
  return why && `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`
}

function integerFlaw(text: string, form: RegExp, most: bigint): string | undefined {
  if (!form.test(text)) return 'invalid syntax'
  const value = BigInt(text.replace('+', ''))
  return value > most || value < -mostInteger - 1n ? 'value out of range' : undefined
}
