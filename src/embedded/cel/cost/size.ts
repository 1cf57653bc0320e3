/** Everything is counted as Kubernetes counts it: in whole numbers of 64 bits that stay at the largest. */
export const largest = 2n ** 64n - 1n

/** How many characters, bytes, items or entries a value may have. */
export interface Size {
  readonly min: bigint
  readonly max: bigint
}

export const unknownSize: Size = { min: 0n, max: largest }

export const exactly = (size: bigint): Size => ({ min: size, max: size })

export const add = (a: bigint, b: bigint): bigint => (a + b > largest ? largest : a + b)

export const multiply = (a: bigint, b: bigint): bigint => (a * b > largest ? largest : a * b)

/** Rounded up. */
export function scale(count: bigint, factor: number): bigint {
  const product = Math.ceil(Number(count) * factor)
  return product >= 2 ** 64 ? largest : BigInt(product)
}

/** What is left of a number that runs over. */
export const wrapped = (count: bigint): bigint => BigInt.asUintN(64, count)

export const addSizes = (a: Size, b: Size): Size => ({ min: add(a.min, b.min), max: add(a.max, b.max) })

export const multiplySizes = (a: Size, b: Size): Size => ({ min: multiply(a.min, b.min), max: multiply(a.max, b.max) })

export const unite = (a: Size, b: Size): Size => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
})
