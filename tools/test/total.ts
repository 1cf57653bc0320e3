// Adds up the reports of all four test commands, and says what failed; a missing report counts as one failure.
import { noTally, tallyLine } from './reporter.ts'
import { reports } from './reports.ts'
import { failuresIn, tallyOf } from './tap.ts'

const total = noTally()
for (const { path, text } of reports()) {
  const tally = tallyOf(text)
  for (const outcome of ['passed', 'failed', 'skipped'] as const) total[outcome] += tally[outcome]
  for (const { name, words } of failuresIn(text))
    console.log([`✖ ${name} (${path})`, ...words.map((line) => `    ${line}`)].join('\n'))
  if (text === '') console.log(`✖ ${path} is missing or was cut off`)
}
console.log(tallyLine(total))
