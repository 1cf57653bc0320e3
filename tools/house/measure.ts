import { dirname, join } from 'node:path'
import type { SourceScan } from '../../test/support/source-scan.ts'

/** A source file, without tests, with what was read of it. */
export interface Source {
  /** From the root of the project. */
  path: string
  /** The part of the product that it is counted with: `src/kube`. */
  part: string
  lines: number
  scan: SourceScan
}

export interface Figures {
  part: string
  files: number
  lines: number
  median: number
  p90: number
  longest: number
  /** Exported names for each thousand lines. */
  exportsPerThousand: number
  /** The most files that lie side by side in one folder. */
  fullestFolder: number
  /** Files of fewer than 45 lines that one other file alone imports. */
  smallWithOneImporter: string[]
}

/** Files shorter than this are worth a question when one file alone imports them. */
export const small = 45

export function figuresOf(part: string, sources: readonly Source[], importers: Importers): Figures {
  const lengths = sources.map(({ lines }) => lines).sort((a, b) => a - b)
  const lines = lengths.reduce((sum, length) => sum + length, 0)
  const names = sources.reduce((sum, { scan }) => sum + exportedNames(scan.code), 0)
  const folders = Map.groupBy(sources, ({ path }) => dirname(path))
  return {
    part,
    files: sources.length,
    lines,
    median: quantile(lengths, 0.5),
    p90: quantile(lengths, 0.9),
    longest: lengths.at(-1) ?? 0,
    exportsPerThousand: lines === 0 ? 0 : Math.round((names / lines) * 1_000),
    fullestFolder: Math.max(0, ...[...folders.values()].map(({ length }) => length)),
    smallWithOneImporter: sources
      .filter(({ path, lines }) => lines < small && importers.get(path)?.size === 1)
      .map(({ path }) => path),
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** How many names a file exports, declared there or passed on. */
export function exportedNames(code: string): number {
  const declared = code.matchAll(
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+[\w$]/gm,
  )
  const lists = code.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm)
  const listed = [...lists].flatMap(([, names = '']) => names.split(',').filter((name) => name.trim() !== ''))
  return [...declared].length + listed.length
}

/** By file, the files that import it. Re-exports and imports of types count as imports. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>

export function importersOf(sources: readonly Source[]): Importers {
  const importers = new Map<string, Set<string>>()
  for (const { path, scan } of sources)
    for (const { specifier } of scan.imports) {
      if (!specifier?.startsWith('.')) continue
      const target = join(dirname(path), specifier)
      importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  return importers
}

/** A driver, the folder or folders that are its own, and the words by which code names it. */
export interface DriverName {
  name: string
  own: RegExp
  words: RegExp
}

/** The files outside of a driver's own folders that name it, in code or in a text; a comment names nothing. */
export const placesNaming = (driver: DriverName, files: readonly { path: string; text: string }[]): string[] =>
  files.filter(({ path, text }) => !driver.own.test(path) && driver.words.test(text)).map(({ path }) => path)
