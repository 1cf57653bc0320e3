import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsOf } from './options.ts'

test('lists come packed from afar, unless the connection or the program says not to', () => {
  const far = { loopback: false }
  assert.equal(settingsOf({}, far).compress, true)
  assert.equal(settingsOf({}, { ...far, disableCompression: true }).compress, false)
  assert.equal(settingsOf({ compress: false }, far).compress, false)
  assert.equal(settingsOf({}, { loopback: true }).compress, false)
})
