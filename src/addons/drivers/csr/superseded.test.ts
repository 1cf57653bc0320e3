import assert from 'node:assert/strict'
import { test } from 'node:test'
import { supersededRequests } from './superseded.ts'
import { aCustomSigner, aKubeClient, aRequest } from './testing/items.ts'

const at = (second: number) => `2026-03-01T12:00:${`${second}`.padStart(2, '0')}Z`
const item = aKubeClient()

test('of the open requests of an add-on only the newest stays, whatever its subject', async () => {
  const [old, older, newest] = await Promise.all([
    aRequest(item, { created: at(2) }),
    aRequest(aKubeClient({ user: 'other' }), { created: at(1) }),
    aRequest(item, { created: at(3) }),
  ])
  assert.deepEqual(supersededRequests([newest, old, older]), [older, old])
})

test('another signer and another requester are another matter', async () => {
  const requests = await Promise.all([
    aRequest(item, { created: at(1) }),
    aRequest(aCustomSigner('example.com/s'), { created: at(2) }),
    aRequest(item, { created: at(3), username: 'system:open-cluster-management:west:a2' }),
  ])
  assert.deepEqual(supersededRequests(requests), [])
})

test('what was approved stands for what was open before it, not for what comes with it or after it', async () => {
  const approved = await aRequest(item, { created: at(2), decided: 'Approved' })
  const [before, beside, later] = await Promise.all([1, 2, 3].map((second) => aRequest(item, { created: at(second) })))
  assert.ok(before && beside && later)
  assert.deepEqual(supersededRequests([approved, before]), [before])
  assert.deepEqual(supersededRequests([approved, later]), [])
  assert.equal(supersededRequests([approved, beside]).length, 0)
})

test('what was denied or failed stands for nothing, and is nobody’s to remove', async () => {
  const [open, denied] = await Promise.all([
    aRequest(item, { created: at(1) }),
    aRequest(item, { created: at(2), decided: 'Denied' }),
  ])
  assert.deepEqual(supersededRequests([open, denied]), [])
  const newest = await aRequest(item, { created: at(3) })
  assert.deepEqual(supersededRequests([open, denied, newest]), [open])
})
