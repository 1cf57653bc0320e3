import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { bundledPackages, thirdPartyNotice } from './third-party.ts'

test('packages are found once each, scoped and nested ones too', () => {
  const inputs = ['src/a.ts', 'node_modules/pino/a.js', 'node_modules/pino/b.js', 'node_modules/@peculiar/x509/x.js']
  const nested = 'node_modules/a/node_modules/b/c.js'
  assert.deepEqual(bundledPackages([...inputs, nested]), [
    'node_modules/@peculiar/x509',
    'node_modules/a/node_modules/b',
    'node_modules/pino',
  ])
})

test('the notice names a package and carries its licence', async () => {
  const notice = await thirdPartyNotice(resolve(import.meta.dirname, '..'), ['node_modules/yaml'])
  assert.match(notice, /yaml \d+\.\d+\.\d+\n=+\nCopyright/)
})
