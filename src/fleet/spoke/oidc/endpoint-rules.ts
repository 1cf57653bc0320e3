/** What a discovery document must say before anything secret is sent to where it points. */
export interface DiscoveryDocument {
  readonly issuer?: unknown
  readonly token_endpoint?: unknown
}

type Check<T> = (subject: T) => string | undefined

const mostCharacters = 512

const isNoUrl: Check<string> = (text) => (URL.canParse(text) ? undefined : 'it is not a URL')
const isNotHttps: Check<string> = (text) => (new URL(text).protocol === 'https:' ? undefined : 'it is not https')
const hasUserinfo: Check<string> = (text) =>
  new URL(text).username || new URL(text).password ? 'it holds a user name or password' : undefined
const hasFragment: Check<string> = (text) => (text.includes('#') ? 'it has a fragment' : undefined)
const hasQuery: Check<string> = (text) => (text.includes('?') ? 'it has a query' : undefined)
/** The parser of URLs drops or bends them; what is compared must be what is called. */
const hasOddCharacters: Check<string> = (text) => (/[\s\\]/.test(text) ? 'it holds blanks or backslashes' : undefined)
const isTooLong: Check<string> = (text) =>
  text.length > mostCharacters ? `it has more than ${mostCharacters} characters` : undefined

const urlChecks = [isTooLong, hasOddCharacters, isNoUrl, hasUserinfo, hasFragment, isNotHttps]
const issuerChecks = [...urlChecks, hasQuery]

/** Why this cannot be the address of an issuer. */
export const whyNoIssuer = (issuer: string): string | undefined => firstViolation(issuerChecks, issuer)

/** Why the document is not one of this issuer, or does not lead to it. */
export function whyUnfit(issuer: string, document: DiscoveryDocument): string | undefined {
  // Compared whole, unlike openid-client, which overlooks a slash at the end: clusters compare the same way.
  if (document.issuer !== issuer) return 'its discovery document is that of another issuer'
  const { token_endpoint: endpoint } = document
  if (typeof endpoint !== 'string') return 'it does not say where its token endpoint is'
  const flaw = firstViolation(urlChecks, endpoint)
  if (flaw !== undefined) return `its token endpoint is not acceptable: ${flaw}`
  if (new URL(endpoint).origin !== new URL(issuer).origin)
    return 'its token endpoint is at another origin than the issuer itself'
  return undefined
}

function firstViolation<T>(checks: readonly Check<T>[], subject: T): string | undefined {
  for (const check of checks) {
    const flaw = check(subject)
    if (flaw !== undefined) return flaw
  }
  return undefined
}
