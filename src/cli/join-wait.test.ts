import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import { conditions } from '../fleet/names.ts'
import { whatIsMissing } from './join-wait.ts'

const cluster = (accepted: boolean, joined: boolean): ManagedCluster => ({
  spec: { hubAcceptsClient: accepted },
  status: {
    conditions: joined
      ? [
          {
            type: conditions.joined,
            status: 'True',
            reason: 'x',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ]
      : [],
  },
})
const missing = (managed: ManagedCluster | 'absent' | 'unknown', hasIdentity: boolean) =>
  whatIsMissing('west', 'agent', { hasIdentity, managed })

test('each thing that is missing is told with the command that helps', () => {
  assert.match(missing('absent', false) ?? '', /kubectl -n agent get pods/)
  assert.match(missing('unknown', true) ?? '', /lanyard get clusters/)
  assert.match(missing(cluster(false, false), false) ?? '', /lanyard accept west/)
  assert.match(missing(cluster(true, false), false) ?? '', /no certificate.*lanyard accept west/)
  assert.match(missing(cluster(true, false), true) ?? '', /lanyard doctor west/)
})

test('who joins by AWS IAM misses a role, not a certificate', () => {
  const sight = { hasIdentity: false, managed: cluster(true, false) }
  assert.match(whatIsMissing('west', 'agent', sight, 'awsirsa') ?? '', /no AWS role.*lanyard accept west/)
})

test('a cluster has joined when the hub says so and its agent has a certificate', () => {
  assert.equal(missing(cluster(true, true), true), undefined)
})

test('that it had joined in an earlier life is not enough', () => {
  assert.notEqual(missing(cluster(true, true), false), undefined)
  assert.notEqual(missing(cluster(false, true), true), undefined)
})
