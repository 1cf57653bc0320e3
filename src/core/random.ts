import { randomBytes } from 'node:crypto'

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

export const systemRandom: Random = randomFrom(() => randomBytes(6).readUIntBE(0, 6) / 2 ** 48)
