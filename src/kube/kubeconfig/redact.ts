import { stripVTControlCharacters } from 'node:util'

/** What a plugin says may be shown to its length only. The end is kept: the reason stands there. */
const shownCharacters = 1_000

/** Shorter values are words that also occur where they are no secret. */
const shortestSecret = 8

const hidden = '***'

/** What looks like a credential, whoever it belongs to. */
const patterns: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(-----END [A-Z0-9 ]+-----|$)/g, // PEM, also cut off
  /\bey[\w-]{8,}(\.[\w-]*){1,4}/g, // JWT
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(?<=(?:token|secret|password|passwd|key|data)"?\s*[=:]\s*"?)[^\s",]{8,}/gi,
  /\b(?=[\w+=-]*\d)(?=[\w+=-]*[A-Za-z])[\w+=-]{40,}/g, // long and mixed: no word, no path
]

/**
 * What a program said, fit to be shown: without the given secrets, without anything that looks like one, without
 * control characters that could drive a terminal, and short.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  const known = [...secrets].filter((secret) => secret.length >= shortestSecret).sort((a, b) => b.length - a.length)
  const withoutKnown = known.reduce((left, secret) => left.replaceAll(secret, hidden), text)
  const withoutPatterns = patterns.reduce((left, pattern) => left.replace(pattern, hidden), withoutKnown)
  const clean = printable(withoutPatterns).trim()
  return clean.length > shownCharacters ? `… ${clean.slice(-shownCharacters)}` : clean
}

/** Without escape sequences and control characters; line breaks and tabs stay. */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(/[^\P{C}\n\t]/gu, '')
