import type { Size } from './size.ts'
import { addSizes, largest, multiplySizes } from './size.ts'

/** How long a text can become when parts of it are replaced. */
export function replacedSize(text: Size, from: Size, to: Size): Size {
  const longest = replaced(text.max, from.min, to.max <= from.min)
  const shortest = replaced(text.min, from.max, from.max <= to.min)
  return addSizes(multiplySizes({ min: shortest.count, max: longest.count }, to), {
    min: shortest.kept,
    max: longest.kept,
  })
}

/** Replacing nothing puts the new text around each character. */
function replaced(length: bigint, part: bigint, isKept: boolean): { count: bigint; kept: bigint } {
  if (part === 0n) return { count: length < largest ? length + 1n : length, kept: length }
  return isKept ? { count: 0n, kept: length } : { count: divided(length, part), kept: 0n }
}

/** In floating point, where what does not fit into 64 bits becomes half of what does. */
function divided(length: bigint, part: bigint): bigint {
  const quotient = Math.ceil(Number(length) / Number(part))
  return quotient >= 2 ** 64 ? 2n ** 63n : BigInt(quotient)
}
