import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterMark } from './same-cluster.ts'
import { mustBeSame } from './same-cluster.ts'

const [server, lan] = ['https://west:6443', 'https://10.0.0.1:6443']
const mark = (more: Partial<ClusterMark>): ClusterMark => ({ fingerprints: [], ...more })

test('the UID of kube-system decides where both sides show it, whatever else says', () => {
  const hub = mark({ server, fingerprints: ['AB'], uid: 'u' })
  assert.ok(mustBeSame('west', hub, mark({ server: lan, fingerprints: ['CD'], uid: 'u' })))
  const other = mark({ server, fingerprints: ['AB'], uid: 'v' })
  for (const mayDiffer of [false, true])
    assert.throws(() => mustBeSame('west', hub, other, { mayDiffer }), {
      code: 'REACH_OTHER_CLUSTER',
      message: /UID v.*UID u/,
    })
})

test('else one address or one CA in common will do, and none is refused unless a person says so', () => {
  const hub = mark({ server, fingerprints: ['AB'] })
  assert.ok(mustBeSame('west', hub, mark({ server, uid: 'v' })))
  assert.ok(mustBeSame('west', hub, mark({ server: lan, fingerprints: ['CD', 'AB'] })))
  const other = mark({ server: lan, fingerprints: ['CD'] })
  const refused = { code: 'REACH_OTHER_ADDRESS', message: /10\.0\.0\.1:6443 \(CA SHA-256 CD\).*west:6443.*AB/ }
  assert.throws(() => mustBeSame('west', hub, other), refused)
  assert.throws(() => mustBeSame('west', mark({ server }), mark({ server: lan })), { code: 'REACH_OTHER_ADDRESS' })
  assert.ok(mustBeSame('west', hub, other, { mayDiffer: true }))
})

test('of a cluster that the hub has not seen there is nothing to compare', () => {
  assert.equal(mustBeSame('west', mark({}), mark({ server, uid: 'v' })), false)
})
