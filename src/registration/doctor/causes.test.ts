import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { reasons } from '../reasons.ts'
import { causes } from './causes.ts'

const page = await readFile(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8')
const isMissing = (name: string): boolean => !page.includes(`\`${name}\``)

test('docs/troubleshooting.md has a row for every cause that doctor names', () => {
  assert.deepEqual(
    Object.keys(causes).filter((id) => !page.includes(`\n| \`${id}\` | `)),
    [],
  )
})

test('docs/troubleshooting.md explains every reason of a condition or an event', () => {
  assert.deepEqual(Object.keys(reasons).filter(isMissing), [])
})
