import type { Better, Sample } from './statistics.ts'
import { areApart, median, ratioOf, sampleOf } from './statistics.ts'

export interface Row {
  id: string
  title: string
  unit: string
  better: Better
  ours: Sample
  theirs: Sample
  /** How many times better ours is. */
  ratio: number
  /** The ratio that was aimed at. */
  goal?: number
  /** The ranges do not meet. */
  apart: boolean
}

/** One number that a measurement yields, and how it is shown. */
export interface Figure<A> {
  id: string
  title: string
  unit: string
  better: Better
  goal?: number
  read(answer: A): number
}

/** Both contestants in turn, round after round, so that what else the machine does meets both alike. */
export async function compare<A, C>(
  { ours, theirs }: { ours: C; theirs: C },
  { rounds, say, figures }: { rounds: number; say: (line: string) => void; figures: Figure<A>[] },
  measure: (contestant: C, round: number) => Promise<A>,
): Promise<Row[]> {
  const answers = { ours: [] as A[], theirs: [] as A[] }
  for (let round = 0; round < rounds; round++) {
    say(`${figures[0]?.title}: round ${round + 1} of ${rounds}`)
    // The first to go changes, too: it may find caches colder.
    const order = round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)
    for (const side of order) answers[side].push(await measure(side === 'ours' ? ours : theirs, round))
  }
  return figures.map((figure) => rowOf(figure, answers))
}

export function rowOf<A>(figure: Figure<A>, answers: { ours: A[]; theirs: A[] }): Row {
  const { read, ...shown } = figure
  const [ours, theirs] = [sampleOf(answers.ours.map(read)), sampleOf(answers.theirs.map(read))]
  return { ...shown, ours, theirs, ratio: ratioOf(ours, theirs, figure.better), apart: areApart(ours, theirs) }
}

export const milliseconds = <A>(id: string, title: string, read: (answer: A) => number): Figure<A> => ({
  id,
  title,
  unit: 'ms',
  better: 'less',
  read,
})

export const perSecond = <A>(id: string, title: string, count: number, msOf: (answer: A) => number[]): Figure<A> => ({
  id,
  title,
  unit: '/s',
  better: 'more',
  read: (answer) => (count * 1_000) / median(msOf(answer)),
})

/** Processor time of the client's process for 1,000 of something. */
export const cpuPerThousand = <A>(
  id: string,
  title: string,
  count: number,
  cpuMsOf: (answer: A) => number[],
): Figure<A> => milliseconds(id, title, (answer) => (median(cpuMsOf(answer)) * 1_000) / count)

export const mebibytes = <A>(id: string, title: string, bytesOf: (answer: A) => number): Figure<A> => ({
  id,
  title,
  unit: 'MiB',
  better: 'less',
  read: (answer) => bytesOf(answer) / 2 ** 20,
})
