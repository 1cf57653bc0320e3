import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../core/clock.ts'
import { createAuthority } from '../pki/index.ts'
import { pinnedOnes, pinsOf } from './ca-pin.ts'

const authority = async (commonName: string) =>
  (await createAuthority({ commonName, clock: systemClock, lifetimeMs: 60_000 })).certPem

test('only the certificates that are pinned are left of a bundle', async () => {
  const [ours, theirs] = [await authority('ours'), await authority('theirs')]
  const [pin = ''] = pinsOf(ours)
  assert.match(pin, /^sha256:[0-9a-f]{64}$/)
  assert.deepEqual(pinsOf(pinnedOnes(`${theirs}\n${ours}`, [pin]) ?? ''), [pin])
  assert.ok(pinnedOnes(ours, [pin.toUpperCase()]))
})

test('nothing is left where no certificate is pinned, or the pin is only a part of one', async () => {
  const ours = await authority('ours')
  const [pin = ''] = pinsOf(ours)
  assert.equal(pinnedOnes(await authority('theirs'), [pin]), undefined)
  assert.equal(pinnedOnes(ours, [pin.slice(0, -1)]), undefined)
  assert.equal(pinnedOnes(ours, []), undefined)
  assert.equal(pinnedOnes('', [pin]), undefined)
})
