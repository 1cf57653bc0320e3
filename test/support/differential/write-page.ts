/** Writes docs/embedded-differences.md from the known differences: node test/support/differential/write-page.ts */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { knownDifferences } from './known.ts'
import { differencesPage } from './page.ts'

writeFileSync(resolve(import.meta.dirname, '../../../docs/embedded-differences.md'), differencesPage(knownDifferences))
