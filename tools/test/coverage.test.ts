import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverageTable } from './coverage.ts'

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
  const sources = ['src/addons/index.ts', 'src/addons/hub/a.ts', 'src/addons/hub/types.ts']
  const rows = coverageTable({ workingDirectory: '/lanyard', files }, sources).map((line) => line.split(/ {2,}/))
  assert.deepEqual(rows, [
    ['folder', 'lines', 'branches', 'functions', 'files', 'not loaded'],
    ['src', '50.0 %', '0.0 %', '100.0 %', '3', '1'],
    ['src/addons', '50.0 %', '0.0 %', '100.0 %', '3', '1'],
    ['src/addons/hub', '44.4 %', '0.0 %', '100.0 %', '2', '1'],
  ])
})
