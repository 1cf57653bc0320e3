/** A line that one plane has and the other has not: `- ` is the real one's, `+ ` the embedded one's. */
export type Difference = string

/** What may differ, for a reason; no more than that, and no less. */
export interface Allowed {
  chapter: string
  /** A name as `named` gives it, `$v` included. */
  step: string
  /** Absent: with each version of kubectl. */
  version?: string
  why: string
  lines: readonly Difference[]
}

/** The shortest list of lines to take out and put in, in order. */
export function differences(real: string, embedded: string): Difference[] {
  const [left, right] = [real.split('\n'), embedded.split('\n')]
  const start = commonStart(left, right)
  const [a, b] = [left.slice(start), right.slice(start)]
  const end = commonStart(a.toReversed(), b.toReversed())
  return shortest(a.slice(0, a.length - end), b.slice(0, b.length - end))
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((line, index) => line !== b[index])
  return at < 0 ? a.length : at
}

function shortest(a: readonly string[], b: readonly string[]): Difference[] {
  const common = lengthsOfCommon(a, b)
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0
  const found: Difference[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++
      j++
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) found.push(`- ${a[i++]}`)
    else found.push(`+ ${b[j++]}`)
  }
  return found
}

/** Of what follows `i` in the one and `j` in the other, how many lines are common. */
function lengthsOfCommon(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = a.map(() => new Array<number>(b.length + 1).fill(0))
  lengths.push(new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const [here, below] = [lengths[i] as number[], lengths[i + 1] as number[]]
      here[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, here[j + 1] ?? 0)
    }
  return lengths
}

export interface Verdict {
  /** Not allowed. */
  unexpected: Difference[]
  /** Allowed, and there is no such difference. */
  stale: Difference[]
}

/** How often a line differs counts, too. */
export function judge(found: readonly Difference[], allowed: readonly Allowed[]): Verdict {
  const stale = allowed.flatMap(({ lines }) => lines)
  const unexpected = found.filter((line) => {
    const at = stale.indexOf(line)
    if (at >= 0) stale.splice(at, 1)
    return at < 0
  })
  return { unexpected, stale }
}
