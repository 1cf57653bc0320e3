/** Random requests to the embedded control plane and to a real one: what both answer is the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsControlPlane } from '../support/control-plane.ts'
import { knownDifferences } from '../support/differential/known.ts'
import { findingText } from '../support/differential/report.ts'
import { runSeed } from '../support/differential/run-seed.ts'

/** The same in every run, so that what fails is what was changed. LANYARD_SEED takes another one. */
const seed = Number(process.env['LANYARD_SEED'] ?? 20_260)
const count = Number(process.env['LANYARD_REQUESTS'] ?? 5_000)

test(`${count} random requests are answered as by a real kube-apiserver`, needsControlPlane, async (t) => {
  const replay = `LANYARD_SEED=${seed} LANYARD_REQUESTS=${count} node test/support/differential/main.ts`
  t.diagnostic(`replay with: ${replay}`)
  const { findings, met, sent } = await runSeed({ seed, count, maxFindings: 5 })
  for (const row of knownDifferences) if (!met.get(row)) t.diagnostic(`never met: ${row.what}`)
  assert.equal(findings.length, 0, [`replay with: ${replay}`, ...findings.map(findingText)].join('\n\n'))
  assert.equal(sent, count)
})
