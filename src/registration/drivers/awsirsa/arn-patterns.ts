import { goPattern } from '../../../core/schema/go-pattern.ts'
import type { Matcher } from '../../../core/schema/linear-pattern.ts'
import { linearPattern } from '../../../core/schema/linear-pattern.ts'
import type { Node } from '../../../core/schema/pattern-nodes.ts'
import { parseTranslated } from '../../../core/schema/pattern-nodes.ts'
import type { Wrong } from './names.ts'
import { quoted } from './names.ts'

const longestPattern = 512
export type ArnMatcher = Pick<Matcher, 'test'>

/** Far below what `linearPattern` would leave to JavaScript, which may take for ever. A repetition counts as often as it may occur. */
const mostSteps = 5_000

/**
 * One that matches an ARN which matches one of the patterns from its first to its last character; without patterns,
 * none. They are regular expressions of Go, as hubs of the field take them, and told of in time that grows with the
 * length of the ARN, whatever the pattern.
 */
export function arnMatcher(patterns: readonly string[]): ArnMatcher | Wrong {
  const matchers: ArnMatcher[] = []
  for (const pattern of patterns) {
    const one = wholeMatcher(pattern)
    if ('wrong' in one) return one
    matchers.push(one)
  }
  return { test: (arn) => matchers.some((one) => one.test(arn)) }
}

function wholeMatcher(pattern: string): Matcher | Wrong {
  if (pattern === '') return wrong(pattern, 'is empty and matches no ARN; leave it out')
  if (pattern.length > longestPattern)
    return wrong(
      pattern,
      `has ${pattern.length} characters, and ${longestPattern} are allowed; give several shorter ones`,
    )
  try {
    // By itself first: `a)|(?:b` would be one with what is put around it.
    if (stepsOf(parseTranslated(goPattern(pattern).source)) > mostSteps)
      return wrong(pattern, 'repeats too much; use smaller numbers in braces, or * and + in their place')
    return linearPattern(`^(?:${pattern})$`)
  } catch (error) {
    return wrong(pattern, `is no regular expression (${error instanceof Error ? error.message : error}); correct it`)
  }
}

function stepsOf(node: Node): number {
  switch (node.type) {
    case 'one':
    case 'at':
      return 1
    case 'all':
    case 'either':
      return node.parts.reduce((sum, part) => sum + stepsOf(part), 1)
    case 'repeat':
      return 1 + (stepsOf(node.part) + 1) * Math.max(1, node.most ?? node.least + 1)
  }
}

const wrong = (pattern: string, why: string): Wrong => ({ wrong: `the ARN pattern ${quoted(pattern)} ${why}` })
