import type { Problem } from '../schema/check.ts'

const types: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

/** What is wrong with a setting, in words that never repeat its value. */
export function problemWords({ keyword, expected }: Problem): string {
  switch (keyword) {
    case 'type':
      return `must be ${types[String(expected)] ?? expected}`
    case 'enum':
      return `must be one of ${(expected as unknown[]).join(', ')}`
    case 'minLength':
      return expected === 1 ? 'must not be empty' : `must have at least ${expected} characters`
    case 'maxLength':
      return `must have at most ${expected} characters`
    case 'minimum':
      return `must be at least ${expected}`
    case 'exclusiveMinimum':
      return `must be more than ${expected}`
    case 'maximum':
      return `must be at most ${expected}`
    case 'exclusiveMaximum':
      return `must be less than ${expected}`
    case 'multipleOf':
      return `must be a multiple of ${expected}`
    case 'minItems':
    case 'minProperties':
      return `must have at least ${expected} entries`
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${expected} entries`
    case 'unique':
      return 'is there twice'
    case 'pattern':
      return `must match ${expected}`
    case 'format':
      return `must be a ${expected}`
    case 'required':
      return 'must be set'
    default:
      return 'is not as declared'
  }
}

/** The name that was probably meant, for a typo of one or two letters. */
export function closest(name: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.min(2, name.length - 1) ? best.other : undefined
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...a].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...b].entries())
      next.push(
        Math.min((next[column] ?? 0) + 1, (row[column + 1] ?? 0) + 1, (row[column] ?? 0) + (letter === other ? 0 : 1)),
      )
    row = next
  }
  return row[b.length] ?? 0
}
