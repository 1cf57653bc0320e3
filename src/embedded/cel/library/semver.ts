import { goQuote } from '../../go-quote.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

export const semverType = 'kubernetes.Semver'

/** Part of what comes before a release: numbers are less than words. */
type Identifier = bigint | string

export class Semver {
  readonly typeName = semverType
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly before: readonly Identifier[]

  constructor(numbers: readonly [bigint, bigint, bigint], before: readonly Identifier[]) {
    this.numbers = numbers
    this.before = before
  }

  /** What a build is called does not matter. */
  compareTo(other: Semver): number {
    for (const [index, number] of this.numbers.entries()) {
      const order = compare(number, other.numbers[index] as bigint)
      if (order !== 0) return order
    }
    if (this.before.length === 0 || other.before.length === 0)
      return Number(this.before.length === 0) - Number(other.before.length === 0)
    for (const [index, one] of this.before.entries()) {
      const two = other.before[index]
      const order = two === undefined ? 1 : compare(one, two)
      if (order !== 0) return order
    }
    return this.before.length < other.before.length ? -1 : 0
  }

  equals(other: Semver): boolean {
    return this.compareTo(other) === 0
  }
}

function compare(one: Identifier, two: Identifier): number {
  if (typeof one !== typeof two) return typeof one === 'bigint' ? -1 : 1
  return one < two ? -1 : one > two ? 1 : 0
}

const most = 2n ** 64n - 1n

function numberOf(text: string, what: string): bigint {
  const name = what.toLowerCase()
  if (!/^\d*$/.test(text)) throw new Error(`Invalid character(s) found in ${name} number ${goQuote(text)}`)
  if (/^0./.test(text)) throw new Error(`${what} number must not contain leading zeroes ${goQuote(text)}`)
  return uint64(text)
}

function uint64(text: string): bigint {
  if (text === '') throw new Error('strconv.ParseUint: parsing "": invalid syntax')
  if (text.length > 20 || BigInt(text) > most)
    throw new Error(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`)
  return BigInt(text)
}

function identifier(text: string): Identifier {
  if (text === '') throw new Error('Prerelease is empty')
  if (/^0\d+$/.test(text))
    throw new Error(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`)
  if (/^\d+$/.test(text)) return uint64(text)
  if (/^[0-9A-Za-z-]+$/.test(text)) return text
  throw new Error(`Invalid character(s) found in prerelease ${goQuote(text)}`)
}

function checkBuild(text: string): void {
  if (text === '') throw new Error('Build meta data is empty')
  if (!/^[0-9A-Za-z-]+$/.test(text)) throw new Error(`Invalid character(s) found in build meta data ${goQuote(text)}`)
}

/** Up to the first of these, and what follows it if it is there. */
function cut(text: string, at: string): [string, string?] {
  const index = text.indexOf(at)
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}

/** Major, minor, and all the rest. */
function threeParts(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.')
  return minor === undefined ? [major] : rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')]
}

function strict(text: string): Semver {
  if (text === '') throw new Error('Version string empty')
  const [major = '', minor = '', rest] = threeParts(text)
  if (rest === undefined) throw new Error('No Major.Minor.Patch elements found')
  const firstTwo = [numberOf(major, 'Major'), numberOf(minor, 'Minor')] as const
  const [release, build] = cut(rest, '+')
  const [patch, before] = cut(release, '-')
  const numbers = [...firstTwo, numberOf(patch, 'Patch')] as const
  const version = new Semver(numbers, before === undefined ? [] : before.split('.').map(identifier))
  if (build !== undefined) build.split('.').forEach(checkBuild)
  return version
}

/** `v1.02` is taken for `1.2.0`. */
function lenient(text: string): Semver {
  const parts = threeParts(text.replace(/^v/, '')).map((part) =>
    part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part,
  )
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    throw new Error('short version cannot contain PreRelease/Build meta data')
  while (parts.length < 3) parts.push('0')
  return strict(parts.join('.'))
}

const parse = (text: string, isLenient = false): Semver => (isLenient ? lenient(text) : strict(text))

function isSemver(text: string, isLenient = false): boolean {
  try {
    parse(text, isLenient)
    return true
  } catch {
    return false
  }
}

/** Versions: `1.2.3-rc.1`. */
export const semvers: readonly Overload[] = [
  overload(`semver(string): ${semverType}`, parse),
  overload(`semver(string, bool): ${semverType}`, parse),
  overload('isSemver(string): bool', isSemver),
  overload('isSemver(string, bool): bool', isSemver),
  overload(`${semverType}.isGreaterThan(${semverType}): bool`, (a: Semver, b: Semver) => a.compareTo(b) > 0),
  overload(`${semverType}.isLessThan(${semverType}): bool`, (a: Semver, b: Semver) => a.compareTo(b) < 0),
  overload(`${semverType}.compareTo(${semverType}): int`, (a: Semver, b: Semver) => BigInt(a.compareTo(b))),
  ...(['major', 'minor', 'patch'] as const).map((name, index) =>
    overload(`${semverType}.${name}(): int`, ({ numbers }: Semver) => BigInt.asIntN(64, numbers[index] as bigint)),
  ),
]
