import { badQuantity } from '../../kinds/decode/quantity.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

export const quantityType = 'kubernetes.Quantity'

const [leastInt, mostInt] = [-(2n ** 63n), 2n ** 63n - 1n]
const isInt = (value: bigint): boolean => value >= leastInt && value <= mostInt

/**
 * An amount: `digits` with the point moved by `scale`. Kubernetes keeps small ones in an int with a scale; only those
 * can be asked for an integer, and they have to be written without a fraction.
 */
export class Quantity {
  readonly typeName = quantityType
  readonly digits: bigint
  readonly scale: number
  readonly isSmall: boolean
  /** What was added up is not taken for equal to anything, when it stands on the right: so it is in Kubernetes. */
  readonly isSum: boolean

  constructor(digits: bigint, scale: number, isSmall: boolean, isSum = false) {
    this.digits = digits
    this.scale = scale
    this.isSmall = isSmall
    this.isSum = isSum
  }

  compareTo(other: Quantity): bigint {
    const [one, two] = aligned(this, other)
    return one < two ? -1n : one > two ? 1n : 0n
  }

  plus(other: Quantity): Quantity {
    const [one, two, scale] = aligned(this, other)
    const isSmall = this.isSmall && other.isSmall && isInt(one) && isInt(two) && isInt(one + two)
    return new Quantity(one + two, scale, isSmall, true)
  }

  minus(other: Quantity): Quantity {
    return this.plus(new Quantity(-other.digits, other.scale, other.isSmall))
  }

  /** Undefined for what Kubernetes does not keep as one. */
  integer(): bigint | undefined {
    if (!this.isSmall || this.scale < 0) return undefined
    const value = this.digits * 10n ** BigInt(this.scale)
    return isInt(value) ? value : undefined
  }

  equals(other: Quantity): boolean {
    if (other.isSum) throw new Error('no such overload')
    return this.compareTo(other) === 0n
  }
}

function aligned(a: Quantity, b: Quantity): [bigint, bigint, number] {
  if (a.digits === 0n) return [0n, b.digits, b.scale]
  if (b.digits === 0n) return [a.digits, 0n, a.scale]
  const scale = Math.min(a.scale, b.scale)
  const at = (one: Quantity) => one.digits * 10n ** BigInt(one.scale - scale)
  return [at(a), at(b), scale]
}

const tens: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const twos: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
/** An int holds any number of so many digits. */
const digitsOfInt = 18
const nano = -9
/** Nobody means more, and arithmetic on a million digits would take seconds. */
const mostDigits = 1000

const form = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/

/** Throws an Error in the words of Kubernetes for what is no quantity. */
export function parseQuantity(text: string): Quantity {
  const [whole, sign = '', left = '', right = '', suffix = ''] = form.exec(text) ?? []
  if (text === '' || whole === undefined) throw new Error(badQuantity)
  const number = left.replace(/^0+/, '') || '0'
  const negative = sign === '-' ? -1n : 1n
  const [scale, power] = scaleOf(suffix)
  if (number.length + right.length > mostDigits) throw new Error('unable to parse numeric part of quantity')
  const digits = BigInt(number + right) * negative
  if (power === undefined) {
    const isSmall = number.length + right.length <= digitsOfInt && scale - right.length >= nano
    if (isSmall) return new Quantity(digits, scale - right.length, true)
  } else if (right === '') {
    const precision = 15 - number.length - Math.trunc((power * 3) / 10) - 1
    const value = digits * 2n ** BigInt(power)
    if (precision >= 0 && isInt(value)) return new Quantity(value, 0, true)
  }
  if (!/\d/.test(left + right)) throw new Error('unable to parse numeric part of quantity')
  return large(digits * 2n ** BigInt(power ?? 0), scale - right.length, power !== undefined)
}

/** The power of ten that a suffix stands for, or else that of two. */
function scaleOf(suffix: string): [ten: number, two?: number | undefined] {
  if (Object.hasOwn(tens, suffix)) return [tens[suffix] as number]
  if (Object.hasOwn(twos, suffix)) return [0, twos[suffix]]
  const [, exponent] = /^[eE]([+-]?\d{1,3})$/.exec(suffix) ?? []
  if (exponent === undefined) throw new Error("unable to parse quantity's suffix")
  return [Number(exponent)]
}

/** What is smaller than a billionth is rounded up, and of powers of two there are no more than 64 bits. */
function large(digits: bigint, scale: number, isBinary: boolean): Quantity {
  const rounded = scale < nano ? awayFromZero(digits, 10n ** BigInt(nano - scale)) : digits
  const place = Math.max(scale, nano)
  const most = new Quantity(mostInt, 0, false)
  const amount = new Quantity(rounded, place, false)
  const size = new Quantity(rounded < 0n ? -rounded : rounded, place, false)
  if (!isBinary || size.compareTo(most) <= 0n) return amount
  return rounded < 0n ? new Quantity(-mostInt, 0, false) : most
}

function awayFromZero(amount: bigint, by: bigint): bigint {
  const size = amount < 0n ? -amount : amount
  const up = (size + by - 1n) / by
  return amount < 0n ? -up : up
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}

function asInteger(quantity: Quantity): bigint {
  const value = quantity.integer()
  if (value === undefined) throw new Error('cannot convert value to integer')
  return value
}

const whole = (value: bigint): Quantity => new Quantity(value, 0, true)
const signOf = ({ digits }: Quantity): bigint => (digits < 0n ? -1n : digits > 0n ? 1n : 0n)

/** Amounts as Kubernetes writes them: `1.5Gi`, `200m`. */
export const quantities: readonly Overload[] = [
  overload(`quantity(string): ${quantityType}`, parseQuantity),
  overload('isQuantity(string): bool', isQuantity),
  overload(`sign(${quantityType}): int`, signOf),
  overload(`${quantityType}.isGreaterThan(${quantityType}): bool`, (a: Quantity, b: Quantity) => a.compareTo(b) > 0n),
  overload(`${quantityType}.isLessThan(${quantityType}): bool`, (a: Quantity, b: Quantity) => a.compareTo(b) < 0n),
  overload(`${quantityType}.compareTo(${quantityType}): int`, (a: Quantity, b: Quantity) => a.compareTo(b)),
  overload(`${quantityType}.asApproximateFloat(): double`, ({ digits, scale }: Quantity) =>
    Number(`${digits}e${scale}`),
  ),
  overload(`${quantityType}.asInteger(): int`, asInteger),
  overload(`${quantityType}.isInteger(): bool`, (quantity: Quantity) => quantity.integer() !== undefined),
  overload(`${quantityType}.add(${quantityType}): ${quantityType}`, (a: Quantity, b: Quantity) => a.plus(b)),
  overload(`${quantityType}.add(int): ${quantityType}`, (a: Quantity, b: bigint) => a.plus(whole(b))),
  overload(`${quantityType}.sub(${quantityType}): ${quantityType}`, (a: Quantity, b: Quantity) => a.minus(b)),
  overload(`${quantityType}.sub(int): ${quantityType}`, (a: Quantity, b: bigint) => a.minus(whole(b))),
]
