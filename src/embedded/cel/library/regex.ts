import { patternOf } from '../../../core/schema/check.ts'
import { chargeRunning } from '../cost/meter.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

/** A limit of 0 finds nothing, a negative one is none. Right after a match there is no empty one. */
function findAll(text: string, pattern: string, limit = -1n): string[] {
  const matcher = patternOf(pattern, chargeRunning)
  const matches: string[] = []
  let [from, lastEnd] = [0, -1]
  while (from <= text.length && (limit < 0n || BigInt(matches.length) < limit)) {
    const match = matcher.find(text, from, chargeRunning)
    if (!match) break
    const { start, end } = match
    if (end > from || start !== lastEnd) matches.push(text.slice(start, end))
    lastEnd = end
    from = end > from ? end : from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1)
  }
  return matches
}

function find(text: string, pattern: string): string {
  const match = patternOf(pattern, chargeRunning).find(text, 0, chargeRunning)
  return match ? text.slice(match.start, match.end) : ''
}

const matches = (text: string, pattern: string): boolean => patternOf(pattern, chargeRunning).test(text, chargeRunning)

/** Regular expressions, in the syntax of Go. */
export const regex: readonly Overload[] = [
  overload('matches(string, string): bool', matches),
  overload('string.matches(string): bool', matches),
  overload('string.find(string): string', find),
  overload('string.findAll(string): list<string>', findAll),
  overload('string.findAll(string, int): list<string>', findAll),
]
