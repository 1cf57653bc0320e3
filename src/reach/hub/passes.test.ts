import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { reachPasses } from './passes.ts'
import { aConfig, itFails, itWorks } from './testing/builders.ts'

test('what the hub shows a cluster is one pass, which says when it does not work', async () => {
  const clock = new FakeClock()
  const passes = reachPasses({ clock })
  const listed = () => Array.fromAsync(passes.list())
  const ending = new AbortController()
  const changes = passes.changes(ending.signal)[Symbol.asyncIterator]()

  passes.seen(aConfig(), itFails())
  assert.deepEqual(await listed(), [], 'nothing was shown yet')
  passes.seen(aConfig(), itWorks())
  const [pass] = await listed()
  assert.deepEqual(pass, {
    ...{ id: 'reach/fleet/west', kind: 'reach', holder: 'hub/west', issuer: 'https://issuer.example' },
    ...{ issuedAt: new Date('2026-01-01T00:00:00Z'), expiresAt: new Date('2026-01-01T01:00:00Z') },
    ...{ keptIn: 'memory of the hub', fingerprint: 'AA:BB', state: 'PassIssued' },
  })
  passes.seen(aConfig(), itWorks())
  passes.seen(aConfig(), itFails())
  assert.deepEqual(
    (await listed()).map(({ state }) => state),
    ['ClusterUnreachable'],
  )

  passes.gone('fleet/west')
  assert.deepEqual(await listed(), [])
  const { value } = await changes.next()
  assert.deepEqual([value?.id, value?.expiresAt], ['reach/fleet/west', clock.now()])
  ending.abort()
})
