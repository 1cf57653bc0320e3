/** Test files that share a process, one after the other. */
export type Batch = readonly string[]

/** Those that start processes and control planes take as long as several others. */
const heavy = { folders: ['src/cli/', 'test/acceptance/'], weight: 4 }
const weightOf = (file: string): number => (heavy.folders.some((f) => file.startsWith(f)) ? heavy.weight : 1)

/** `src/kube`, `test/acceptance/reach`: who works on one of them runs it as a whole. */
const folderOf = (file: string): string => {
  const parts = file.split('/').slice(0, -1)
  return parts.slice(0, parts[0] === 'test' ? 3 : 2).join('/')
}

const totalOf = (files: Batch) => files.reduce((sum, file) => sum + weightOf(file), 0)

/**
 * Cuts the files of each folder into batches of about `weight` unit test files, and joins those of small folders. A process that has loaded the sources and
 * compiled what is hot spends about half of what a new one does on the next file. Many small batches rather than one a core:
 * a process that dies takes few others with it, and no core is left alone at the end. The heavy ones go first for that.
 */
export function batchesOf(files: readonly string[], weight: number): Batch[] {
  const folders = Object.values(Object.groupBy(files, folderOf)) as string[][]
  const cut = folders.flatMap((folder) => evenly(folder, Math.ceil(totalOf(folder) / weight)))
  const { small = [], large = [] } = Object.groupBy(cut, (one) => (totalOf(one) <= weight / 2 ? 'small' : 'large'))
  const { true: heavies = [], false: light = [] } = Object.groupBy(small, ([first = '']) => `${weightOf(first) > 1}`)
  return [...large, ...joined(heavies, weight), ...joined(light, weight)].sort(
    (a, b) => weightOf(b[0] as string) - weightOf(a[0] as string) || totalOf(b) - totalOf(a),
  )
}

/** One after the other into the same, until it would be more than `weight`. */
function joined(batches: readonly Batch[], weight: number): Batch[] {
  const done: Batch[] = []
  for (const next of batches) {
    const last = done.at(-1)
    if (last && totalOf(last) + totalOf(next) <= weight) done[done.length - 1] = [...last, ...next]
    else done.push(next)
  }
  return done
}

/** As many parts, each with as many files as the others or one less. */
const evenly = (files: readonly string[], parts: number): Batch[] => {
  const start = (part: number) => Math.round((part * files.length) / parts)
  return Array.from({ length: parts }, (_, part) => files.slice(start(part), start(part + 1))).filter(
    (b) => b.length > 0,
  )
}
