import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeFailure } from '../kube/failures.ts'
import { explain } from './explain.ts'

const context = { method: 'GET', path: '/apis/cluster.open-cluster-management.io/v1/managedclusters' }

test('a cluster that is no hub is told as one, in either way that API servers say it', () => {
  const [noGroup, noKind] = [{ message: '404 page not found' }, { message: 'not found', details: {} }]
  for (const status of [noGroup, noKind])
    assert.match(explain(new KubeFailure({ code: 404, ...status }, context)), /prepare it with `lanyard init`/)
  const noObject = { code: 404, message: 'leases "a" not found', details: { name: 'a' } }
  assert.equal(explain(new KubeFailure(noObject, context)), 'lanyard: leases "a" not found')
})

test('an API server that fails by itself may have lost its hub', () => {
  const message = 'failed calling webhook "managedclusters.mutation.lanyard.io": connection refused'
  const failed = new KubeFailure({ code: 500, reason: 'InternalError', message }, context)
  assert.match(explain(failed), /look whether `lanyard hub` runs/)
  assert.equal(explain(new KubeFailure({ code: 503, message: 'no' }, context)), 'lanyard: no')
})
