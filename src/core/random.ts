import { randomFillSync } from 'node:crypto'

/** Randomness, passed in. Keys and tokens come from node:crypto directly; this is for jitter and names. */
export interface Random {
  /** Uniform in [0, 1). */
  fraction(): number
  /** Lower-case letters and digits without look-alikes, the alphabet Kubernetes uses for generated names. */
  suffix(length: number): string
}

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789'

export const randomFrom = (fraction: () => number): Random => ({
  fraction,
  suffix: (length) => Array.from({ length }, () => nameAlphabet[Math.floor(fraction() * nameAlphabet.length)]).join(''),
})

const fractionBytes = 6
const drawn = Buffer.alloc(fractionBytes * 256)
let nextAt = drawn.length

/** Many at a time: the system takes about as long for one as for all of them. */
function drawFraction(): number {
  if (nextAt === drawn.length) {
    randomFillSync(drawn)
    nextAt = 0
  }
  nextAt += fractionBytes
  return drawn.readUIntBE(nextAt - fractionBytes, fractionBytes) / 2 ** (8 * fractionBytes)
}

export const systemRandom: Random = randomFrom(drawFraction)
