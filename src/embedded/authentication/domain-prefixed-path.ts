import type { FieldError } from '../kinds/field-errors.ts'
import { invalidFor, invalidValue, required } from '../kinds/field-errors.ts'
import { dnsSubdomainFlaws } from '../kinds/names.ts'

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const path = new RegExp(`^${pathPattern}$`)

/** How keys of extra must look, so that they do not get into each other's way: `acme.io/team`. */
export function checkDomainPrefixedPath(field: string, value: string): FieldError[] {
  if (value === '') return [required(field)]
  const slash = value.indexOf('/')
  const [host, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)]
  if (host === '' || rest === '')
    return [invalidValue(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const flaws = dnsSubdomainFlaws(host)
  if (flaws.length > 0) return invalidFor(field, host, flaws)
  return path.test(rest)
    ? []
    : [invalidValue(field, rest, `Invalid path (regex used for validation is '${pathPattern}')`)]
}
