import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverageTable, sourceOf } from './coverage.ts'

const ran = (path: string, covered: number, total: number) => ({
  path: `/lanyard/${path}`,
  totalLineCount: total,
  totalBranchCount: total,
  totalFunctionCount: total,
  coveredLineCount: covered,
  coveredBranchCount: 0,
  coveredFunctionCount: total,
})

test('each folder has a row with all below it, of the files that were asked about', () => {
  const files = [ran('src/addons/index.ts', 1, 1), ran('src/addons/hub/a.ts', 4, 9), ran('src/kube/b.ts', 7, 7)]
  const sources = [
    { path: 'src/addons/index.ts', lines: 1 },
    { path: 'src/addons/hub/a.ts', lines: 9 },
    { path: 'src/addons/hub/c.ts', lines: 10 },
  ]
  const rows = coverageTable({ workingDirectory: '/lanyard', files }, sources).map((line) => line.split(/ {2,}/))
  assert.deepEqual(rows, [
    ['folder', 'lines', 'branches', 'functions', 'files', 'not loaded'],
    ['src', '25.0 %', '0.0 %', '100.0 %', '3', '1'],
    ['src/addons', '25.0 %', '0.0 %', '100.0 %', '3', '1'],
    ['src/addons/hub', '21.1 %', '0.0 %', '100.0 %', '2', '1'],
  ])
})

test('a file of types is no source, since nothing of it can run', async () => {
  assert.equal(
    await sourceOf('a.ts', "import type { B } from './b.ts'\n/** What */\nexport interface A { b: B }\n"),
    undefined,
  )
  assert.deepEqual(await sourceOf('a.ts', "export { b } from './b.ts'\n"), { path: 'a.ts', lines: 2 })
})
