// Adds up the reports of all four test commands; a missing report counts as one failure.
import { existsSync, readFileSync } from 'node:fs'
import { tallyLine } from './reporter.ts'
import { suites } from './suites.ts'
import { tallyOf } from './tap.ts'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const { report } of Object.values(suites)) {
  const path = `reports/${report}`
  const tally = existsSync(path) ? tallyOf(readFileSync(path, 'utf8')) : { passed: 0, failed: 1, skipped: 0 }
  for (const outcome of ['passed', 'failed', 'skipped'] as const) total[outcome] += tally[outcome]
}
console.log(tallyLine(total))
