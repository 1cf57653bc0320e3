import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { addonCauses } from './troubles.ts'

const page = await readFile(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8')

test('docs/troubleshooting.md has a row for everything that can be wrong with an add-on', () => {
  assert.deepEqual(
    Object.keys(addonCauses).filter((id) => !page.includes(`\n| \`${id}\` | `)),
    [],
  )
})
