/**
 * Sends random requests to an embedded plane and to a real one, and tells where their answers part.
 *
 *     LANYARD_SEED=7 LANYARD_REQUESTS=5000 node test/support/differential/main.ts
 *     LANYARD_SEED=7 LANYARD_ONLY=red/configmaps/a node test/support/differential/main.ts
 *
 * LANYARD_FINDINGS: how many to tell; after the first, what differs is deleted on both so that the run can go on.
 * LANYARD_ONLY: only requests about objects whose path holds this. LANYARD_KINDS: only these plurals, with commas.
 * LANYARD_PROGRAM: another main.ts of the embedded one.
 */
import { knownDifferences } from './known.ts'
import { findingText } from './report.ts'
import { runSeed } from './run-seed.ts'

const { LANYARD_SEED, LANYARD_REQUESTS = '5000', LANYARD_FINDINGS = '1' } = process.env
const { LANYARD_ONLY, LANYARD_KINDS, LANYARD_PROGRAM } = process.env
const seed = Number(LANYARD_SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`LANYARD_SEED=${seed} LANYARD_REQUESTS=${LANYARD_REQUESTS}`)
const { findings, met, sent } = await runSeed({
  seed,
  count: Number(LANYARD_REQUESTS),
  maxFindings: Number(LANYARD_FINDINGS),
  ...(LANYARD_ONLY && { only: LANYARD_ONLY }),
  ...(LANYARD_PROGRAM && { program: [LANYARD_PROGRAM] }),
  ...(LANYARD_KINDS && { plurals: LANYARD_KINDS.split(',') }),
})
for (const finding of findings) console.log(`\n${findingText(finding)}`)
for (const row of knownDifferences) if (!met.get(row)) console.log(`never met: ${row.what}`)
console.log(`\n${sent} requests, ${findings.length} findings, seed ${seed}`)
process.exitCode = findings.length === 0 ? 0 : 1
