export interface Sample {
  median: number
  min: number
  max: number
  values: number[]
}

export function sampleOf(values: readonly number[]): Sample {
  if (values.length === 0) throw new Error('nothing was measured')
  const sorted = values.toSorted((a, b) => a - b)
  return { median: medianOf(sorted), min: sorted[0]!, max: sorted.at(-1)!, values: [...values] }
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)]!
  return Number.isInteger(middle) ? (sorted[middle - 1]! + upper) / 2 : upper
}

export const median = (values: readonly number[]): number => sampleOf(values).median

/** The smallest value that so large a part of all values does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const found = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]
  if (found === undefined) throw new Error('nothing was measured')
  return found
}

/** Less is better of times and sizes, more of rates. */
export type Better = 'less' | 'more'

/** How many times better ours is than theirs; below 1, how much worse. */
export const ratioOf = (ours: Sample, theirs: Sample, better: Better): number =>
  better === 'less' ? theirs.median / ours.median : ours.median / theirs.median

/** Whether the worst of ours beats the best of theirs, or the other way round. */
export const areApart = (ours: Sample, theirs: Sample): boolean => ours.max < theirs.min || theirs.max < ours.min
