/** What must be so of single fields. Each returns what is wrong with its value and what to do; undefined when nothing is. */
import type { SecretKeyReference } from '../apis/breakglass/common.ts'
import { isFailure } from '../core/failure.ts'
import { hasFormat } from '../core/schema/formats.ts'
import { readCertificates } from '../pki/index.ts'

/** Looked at as it is written, too: parsing forgives blanks, line ends and back slashes. */
export function urlProblem(url: string, { query = false } = {}): string | undefined {
  if (!/^https:\/\/[^/\\]/.test(url) || /[\s\\\p{Cc}]/u.test(url) || !URL.canParse(url))
    return 'must be an https URL, such as https://api.example.com:6443'
  const { username, password } = new URL(url)
  if (username !== '' || password !== '')
    return 'must not hold a user name or a password; leave out what is before the @'
  if (url.includes('#') || (!query && url.includes('?'))) return `must have no ${query ? '' : 'query and no '}fragment`
  return undefined
}

/** The words of the failure repeat nothing of the text: it may be a key. */
export function authorityProblem(pem: string): string | undefined {
  try {
    readCertificates(pem)
    return undefined
  } catch (error) {
    if (!isFailure(error)) throw error
    return `must be certificates as PEM text (${error.message})`
  }
}

const secretKey = /^[-._a-zA-Z0-9]{1,253}$/

export const keyProblem = (key: string): string | undefined =>
  secretKey.test(key) ? undefined : 'must be a key of a Secret: letters, digits, dashes, dots and underscores'

/** A reference that no Secret can have. Whether there is one is not asked: it may come later. */
export function refProblem({ name, namespace, key }: SecretKeyReference): string | undefined {
  if (!hasFormat('k8s-long-name', name)) return 'name must be that of a Secret'
  if (!hasFormat('k8s-short-name', namespace)) return 'namespace must be that of a namespace'
  const problem = key ? keyProblem(key) : undefined
  return problem && `key ${problem}; leave it out for the default`
}

/** As RFC 6749 has them. */
export const scopeProblem = (scope: string): string | undefined =>
  /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope) ? undefined : 'must be a scope: no blanks, no quotes; one entry each'

export const domainProblem = (domain: string): string | undefined =>
  /^[^@\s]+$/.test(domain) ? undefined : 'must be a domain, such as example.com, without an @'

/** In the notation of Go, whose form the schema looks at. */
export const durationProblem = (duration: string): string | undefined =>
  /[1-9]/.test(duration) ? undefined : 'must be longer than nothing, such as 10m'
