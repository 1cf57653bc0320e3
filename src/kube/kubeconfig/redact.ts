import { stripVTControlCharacters } from 'node:util'
import { maskText } from '../../core/mask.ts'
import { hidden } from '../../core/secret.ts'

/** How much of what a program said is looked at, and shown. The end is kept: the reason stands there. */
const readCharacters = 4_000
const shownCharacters = 1_000

/** Shorter values are words that also occur where they are no secret. */
const shortestSecret = 8

/** Programs name a credential before they show it; and a long run of letters and digits is no word and no path. */
const looksSecret: readonly RegExp[] = [
  /(?<=(?:token|secret|password|passwd|key|data)"?\s*[=:]\s*"?)[^\s",]{8,}/gi,
  /\b(?=[\w+=-]*\d)(?=[\w+=-]*[A-Za-z])[\w+=-]{40,}/g,
]

/**
 * What a program said, fit to be shown: without the given secrets, without anything that looks like one, without
 * control characters that could drive a terminal, and short.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  const known = [...secrets].filter((secret) => secret.length >= shortestSecret).sort((a, b) => b.length - a.length)
  const withoutKnown = known.reduce((left, secret) => left.replaceAll(secret, hidden), endOf(text))
  const masked = looksSecret.reduce((left, pattern) => left.replace(pattern, hidden), maskText(withoutKnown))
  const clean = printable(masked).trim()
  return clean.length > shownCharacters ? `… ${clean.slice(-shownCharacters)}` : clean
}

/** From the start of a word: half a secret would not be found. */
const endOf = (text: string): string =>
  text.length > readCharacters ? text.slice(-readCharacters).replace(/^\S*/, '') : text

/** Without escape sequences and control characters; line breaks and tabs stay. */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(/[^\P{C}\n\t]/gu, '')
