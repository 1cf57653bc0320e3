import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scanSource } from '../../test/support/source-scan.ts'
import type { Source } from './measure.ts'
import { exportedNames, figuresOf, importersOf, placesNaming } from './measure.ts'

const source = (path: string, text: string): Source => ({
  path,
  part: 'a',
  lines: text.trimEnd().split('\n').length,
  scan: scanSource(text),
})

test('names are counted as they are exported, alone and in lists', () => {
  const text = `export const a = 1
export async function b() {}
export type { C, D } from './c.ts'
export { e as f, g }
const h = 'export const not = 1'
`
  assert.equal(exportedNames(scanSource(text).code), 6)
})

test('a part has its lengths, its fullest folder, and its small files with one importer', () => {
  const sources = [
    source('a/one.ts', "import { two } from './two.ts'\nimport type { Three } from './deep/three.ts'\n"),
    source('a/two.ts', 'export const two = 2\n'),
    source('a/deep/three.ts', "import { two } from '../two.ts'\nexport interface Three { two: typeof two }\n"),
    source('a/deep/long.ts', `${'\n'.repeat(99)}export const long = 1\n`),
  ]
  const figures = figuresOf('a', sources, importersOf(sources))
  assert.deepEqual(figures, {
    part: 'a',
    files: 4,
    lines: 105,
    median: 2,
    p90: 100,
    longest: 100,
    exportsPerThousand: 29,
    fullestFolder: 2,
    smallWithOneImporter: ['a/deep/three.ts'],
  })
})

test('a driver is named by code outside of its folder, and not by its own', () => {
  const driver = { name: 'aws', own: /\/aws\//, words: /aws/i }
  const files = [
    { path: 'a/aws/role.ts', text: 'aws()' },
    { path: 'a/start.ts', text: 'import x from "./aws/role.ts"' },
    { path: 'a/other.ts', text: 'law' },
  ]
  assert.deepEqual(placesNaming(driver, files), ['a/start.ts'])
})
