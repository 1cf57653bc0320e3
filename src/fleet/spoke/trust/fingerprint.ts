/**
 * A SHA-256 as people compare it: `AB:CD:…`. Colons and case do not matter, and what openssl prints before it may stay.
 * Undefined for what is none.
 */
export function readFingerprint(text: string): string | undefined {
  const digits = text
    .trim()
    .replace(/^sha-?256( fingerprint)?[:=]/i, '')
    .replaceAll(':', '')
    .toUpperCase()
  return /^[0-9A-F]{64}$/.test(digits) ? digits.replace(/..(?!$)/g, '$&:') : undefined
}
