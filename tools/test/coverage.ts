import { transform } from 'esbuild'

/** What Node tells of the files that its processes loaded, as far as the table shows it. */
export interface CoverageSummary {
  workingDirectory: string
  files: FileCoverage[]
}

interface FileCoverage extends Counts {
  path: string
}

interface Counts {
  totalLineCount: number
  totalBranchCount: number
  totalFunctionCount: number
  coveredLineCount: number
  coveredBranchCount: number
  coveredFunctionCount: number
}

const noCounts = (): Counts => ({
  totalLineCount: 0,
  totalBranchCount: 0,
  totalFunctionCount: 0,
  coveredLineCount: 0,
  coveredBranchCount: 0,
  coveredFunctionCount: 0,
})

/** A file of which something could have run: those that hold types alone are never loaded. */
export interface Source {
  path: string
  lines: number
}

/** Nothing where all of it is types. */
export async function sourceOf(path: string, text: string): Promise<Source | undefined> {
  const { code } = await transform(text, { loader: 'ts' })
  return code.trim() === '' ? undefined : { path, lines: text.split('\n').length }
}

/** Levels of folders that have a row: `src/addons`, `src/addons/hub`. */
const deepest = 3

/**
 * A row a folder with all below it: which share of lines, branches and functions ran, and how many files no test loaded.
 * Of these the lines count as not covered; of their branches and functions nothing is known.
 */
export function coverageTable({ workingDirectory, files }: CoverageSummary, sources: readonly Source[]): string[] {
  const byPath = new Map(files.map((file) => [file.path.slice(workingDirectory.length + 1), file]))
  const folders = new Map<string, Counts & { files: number; unloaded: number }>()
  for (const { path, lines } of sources) {
    const found = byPath.get(path)
    const counts = found ?? { ...noCounts(), totalLineCount: lines }
    const parts = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= Math.min(parts.length, deepest); depth++) {
      const name = parts.slice(0, depth).join('/')
      const row = folders.get(name) ?? { ...noCounts(), files: 0, unloaded: 0 }
      folders.set(name, row)
      row.files++
      if (!found) row.unloaded++
      for (const key of Object.keys(noCounts()) as (keyof Counts)[]) row[key] += counts[key]
    }
  }
  const rows = [...folders].sort(([a], [b]) => (a < b ? -1 : 1))
  const width = Math.max(6, ...rows.map(([name]) => name.length))
  const line = (name: string, ...cells: string[]) =>
    [name.padEnd(width), ...cells.map((cell) => cell.padStart(12))].join('')
  return [
    line('folder', 'lines', 'branches', 'functions', 'files', 'not loaded'),
    ...rows.map(([name, row]) =>
      line(
        name,
        percent(row.coveredLineCount, row.totalLineCount),
        percent(row.coveredBranchCount, row.totalBranchCount),
        percent(row.coveredFunctionCount, row.totalFunctionCount),
        String(row.files),
        String(row.unloaded),
      ),
    ),
  ]
}

const percent = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`)
