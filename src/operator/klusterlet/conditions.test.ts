import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deploymentReports } from './conditions.ts'

const said = (replicas: number | undefined, available: number | undefined) =>
  deploymentReports({
    metadata: { namespace: 'n', name: 'a' },
    spec: { ...(replicas !== undefined && { replicas }), selector: {}, template: {} },
    status: { ...(available !== undefined && { availableReplicas: available }) },
  }).map(({ status, reason }) => `${status} ${reason}`)

test('an agent is available with one pod and degraded without all of them', () => {
  assert.deepEqual(said(1, 1), ['True KlusterletAvailable', 'False DeploymentsFunctional'])
  assert.deepEqual(said(undefined, undefined), ['False NoAvailablePods', 'True UnavailablePods'])
  assert.deepEqual(said(2, 1), ['True KlusterletAvailable', 'True UnavailablePods'])
  assert.deepEqual(said(0, 0), ['False NoAvailablePods', 'False DeploymentsFunctional'])
})

test('without a Deployment it is neither', () => {
  assert.deepEqual(
    deploymentReports(undefined).map(({ status, reason }) => `${status} ${reason}`),
    ['False GetDeploymentFailed', 'True GetDeploymentFailed'],
  )
})
