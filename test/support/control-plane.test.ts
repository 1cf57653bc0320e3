import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whySkip } from './control-plane.ts'
import { tempDir } from './temp-dir.ts'

test('on a laptop without the programs a test is skipped, with the command that builds them', (t) => {
  const reason = whySkip({ CONTROL_PLANE: 'kube', LANYARD_CACHE: tempDir(t) })
  assert.match(String(reason), /not built; run: npm run kube-assets$/)
})

test('in CI nothing is skipped', (t) => {
  assert.equal(whySkip({ CONTROL_PLANE: 'kube', LANYARD_CACHE: tempDir(t), CI: 'true' }), false)
})

test('a control plane that does not exist is an error that names those that do', () => {
  assert.throws(
    () => whySkip({ CONTROL_PLANE: 'other' }),
    /no control plane "other"; set CONTROL_PLANE to embedded or kube/,
  )
})

test('the embedded one needs nothing, so nothing is skipped', () => {
  assert.equal(whySkip({}), false)
})
