/** Chance that a seed repeats: the same seed throws the same numbers on every machine. */
export interface Dice {
  /** A whole number from 0 up to, not including, `sides`. */
  below(sides: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** Each with its weight. */
  weigh<T>(from: readonly (readonly [weight: number, what: T])[]): T
  /** Each with the probability, in the order given. */
  some<T>(from: readonly T[], probability?: number): T[]
}

export function dice(seed: number): Dice {
  const next = mulberry32(seed)
  const below = (sides: number) => Math.floor(next() * sides)
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
  return {
    below,
    chance: (probability) => next() < probability,
    pick,
    weigh(from) {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, what] of from) {
        left -= weight
        if (left < 0) return what
      }
      return pick(from)[1]
    },
    some: (from, probability = 0.5) => from.filter(() => next() < probability),
  }
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
