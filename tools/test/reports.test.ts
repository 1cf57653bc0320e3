import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { tempDir } from '../../test/support/temp-dir.ts'
import { suites } from './suites.ts'
import { tapReport } from './tap.ts'

const passed = { passed: 2, failed: 0, skipped: 0 }
const clean = await tapReport({ runs: [], flaky: [], ofNoFile: [], tally: passed })
const flaky = [{ file: 'a.test.ts', test: 'one (a.test.ts)', text: 'Error: too late\n    at b' }]
const withFlaky = await tapReport({ runs: [], flaky, ofNoFile: [], tally: passed })

/** A checkout after all four test commands: with these reports, and clean ones of the others. */
function afterAll(t: TestContext, reports: Readonly<Record<string, string>>) {
  const folder = tempDir(t)
  mkdirSync(join(folder, 'reports'))
  for (const { report } of Object.values(suites))
    writeFileSync(join(folder, 'reports', report), reports[report] ?? clean)
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout.trimEnd().split('\n')
  const list = join(folder, 'reports/flaky.txt')
  return {
    total: () => run(resolve(import.meta.dirname, 'total.ts')),
    writeFlaky: () => {
      const module = JSON.stringify(import.meta.resolve('./reports.ts'))
      run('--input-type=module', '-e', `const { writeFlaky } = await import(${module}); await writeFlaky()`)
      return existsSync(list) ? readFileSync(list, 'utf8') : undefined
    },
  }
}

test('flaky files of all test commands are listed with their first failure; without any there is no list', (t) => {
  const { writeFlaky } = afterAll(t, { 'test-kube.tap': withFlaky })
  assert.equal(
    writeFlaky(),
    `flaky: a.test.ts (reports/test-kube.tap) failed and then passed three times, alone: one (a.test.ts)
    Error: too late
        at b
`,
  )
  assert.equal(afterAll(t, {}).writeFlaky(), undefined)
})

test('the sum of all counts what was flaky as passed, and a report that was cut off as a failure', (t) => {
  assert.deepEqual(afterAll(t, { 'test-kube.tap': withFlaky }).total(), ['8 passed, 0 failed, 0 skipped'])
  assert.deepEqual(afterAll(t, { 'test-kube.tap': '' }).total(), [
    '✖ reports/test-kube.tap is missing or was cut off',
    '6 passed, 1 failed, 0 skipped',
  ])
})
