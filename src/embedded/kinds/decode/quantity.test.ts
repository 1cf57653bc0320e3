import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalQuantity } from './quantity.ts'

for (const [sent, kept] of [
  ['1', '1'],
  ['100m', '100m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['1.0', '1'],
  [' 1', '1'],
  ['-1', '-1'],
  ['1k', '1k'],
  ['1000k', '1M'],
  ['1024Mi', '1Gi'],
  ['1536Mi', '1536Mi'],
  ['1.5Gi', '1536Mi'],
  ['0.1Ki', '102400m'],
  ['0Mi', '0'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1e-3', '1e-3'],
  ['0.0001n', '1n'],
  ['12345678901234567890Ei', '9223372036854775807'],
  ['', undefined],
  ['x', undefined],
  ['1_0', undefined],
  ['1Xi', undefined],
  ['1.2.3', undefined],
  ['9'.repeat(1_000_000), undefined],
] as const)
  test(`the quantity ${JSON.stringify(sent.slice(0, 30))} is kept as ${kept}`, () => {
    assert.equal(canonicalQuantity(sent), kept)
  })
