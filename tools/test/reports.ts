import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { indent } from './reporter.ts'
import type { Flaky } from './run-files.ts'
import { suites } from './suites.ts'
import { flakyIn } from './tap.ts'

export interface Report {
  path: string
  /** Empty where there is none. */
  text: string
}

/** Those of whole runs of the four test commands. */
export const reports = (): Report[] =>
  Object.values(suites)
    .map(({ report }) => `reports/${report}`)
    .map((path) => ({ path, text: existsSync(path) ? readFileSync(path, 'utf8') : '' }))

const mostLines = 12

/** A block a flaky file, with its first failure, whose cause is to be found. */
export const flakyLines = (flaky: readonly Flaky[], path?: string): string[] =>
  flaky.map(({ file, test, text }) => {
    const first = text.split('\n').slice(0, mostLines).join('\n')
    const where = path === undefined ? '' : ` (${path})`
    return `flaky: ${file}${where} failed and then passed three times, alone: ${test}\n${indent(first)}`
  })

/** All that the last reports show; no file where no test file was flaky. */
export async function writeFlaky(): Promise<void> {
  const lines = reports().flatMap(({ path, text }) => flakyLines(flakyIn(text), path))
  if (lines.length > 0) await writeFile('reports/flaky.txt', `${lines.join('\n')}\n`)
  else await rm('reports/flaky.txt', { force: true })
}
