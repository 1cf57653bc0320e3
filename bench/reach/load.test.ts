import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupOf, targetOf } from './groups.ts'
import { steadyLoad } from './load.ts'

/** Time passes only while somebody sleeps, or a call takes it. */
function aClock() {
  let at = 0
  return {
    now: () => at,
    sleep: async (ms: number) => {
      at += ms
    },
    pass: (ms: number) => {
      at += ms
    },
  }
}

test('calls come at their moments, and one that had to wait for its turn counts in full', async () => {
  const clock = aClock()
  const calls: number[] = []
  const { all } = await steadyLoad({
    ...clock,
    rate: 100,
    forMs: 100,
    target: (number) => ({ cluster: number, group: 'all' }),
    async call(cluster) {
      calls.push(cluster)
      // The first one holds up the whole process.
      if (cluster === 0) clock.pass(50)
    },
  })
  assert.deepEqual(calls, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.deepEqual([all.calls, all.failed], [10, 0])
  assert.ok(all.max >= 50, String(all.max))
  assert.ok(all.p50 >= 2, String(all.p50))
})

test('what fails is counted and timed', async () => {
  const { odd, even } = await steadyLoad<'odd' | 'even'>({
    ...aClock(),
    rate: 1_000,
    forMs: 10,
    target: (number) => ({ cluster: number, group: number % 2 === 0 ? 'even' : 'odd' }),
    call: async (cluster) => {
      if (cluster % 2 === 1) throw new Error('no')
    },
  })
  assert.deepEqual([odd.failed, even.failed, odd.calls, even.calls], [5, 0, 5, 5])
})

test('one call of ten goes to the busy cluster, the others to all clusters alike', () => {
  const fleet = { clusters: 9, issuers: 8 }
  const targets = Array.from({ length: 100 }, (_, number) => targetOf(number, fleet).cluster)
  const counts = Array.from({ length: 9 }, (_, cluster) => targets.filter((target) => target === cluster).length)
  assert.deepEqual(counts, [20, 10, 10, 10, 10, 10, 10, 10, 10])
})

test('clusters are told apart by what they depend on', () => {
  const groups = [0, 1, 2, 9, 17].map((cluster) => groupOf(cluster, 8))
  // The tenth is reached by a kubeconfig, whatever its issuer would be.
  assert.deepEqual(groups, ['hanging cluster', 'hanging issuer', 'others', 'others', 'hanging issuer'])
})
