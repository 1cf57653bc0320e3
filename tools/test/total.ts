// Adds up the reports of all four test commands, and says what failed; a missing report counts as one failure.
import { existsSync, readFileSync } from 'node:fs'
import { tallyLine } from './reporter.ts'
import { suites } from './suites.ts'
import { failuresIn, tallyOf } from './tap.ts'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const { report } of Object.values(suites)) {
  const path = `reports/${report}`
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const tally = tallyOf(text)
  for (const outcome of ['passed', 'failed', 'skipped'] as const) total[outcome] += tally[outcome]
  for (const { name, words } of failuresIn(text))
    console.log([`✖ ${name} (${path})`, ...words.map((line) => `    ${line}`)].join('\n'))
  if (text === '') console.log(`✖ there is no ${path}`)
}
console.log(tallyLine(total))
