import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterManagerSpec } from '../../apis/operator/cluster-manager.ts'
import { reachDeclarations } from '../../reach/admission/declarations.ts'
import { reachHubRole } from '../../reach/manifests/hub.ts'
import { deploymentReports } from './conditions.ts'
import { hubParts } from './manifests.ts'
import { planClusterManager } from './plan.ts'

const settings = {
  image: 'lanyard:1',
  hubNamespace: 'hub',
  gates: {
    agent: {},
    hub: { ManagedClusterAutoApproval: { byDefault: false }, Reach: { byDefault: true }, Access: { byDefault: true } },
  },
}
const plan = (spec: ClusterManagerSpec) => planClusterManager({ spec }, settings)
const on = [{ feature: 'ManagedClusterAutoApproval', mode: 'Enable' as const }]

test('users of both lists are approved of, each once, and only while the gate is on', () => {
  const registrationConfiguration = {
    autoApproveUsers: ['a'],
    registrationDrivers: [{ authType: 'csr' as const, csr: { autoApprovedIdentities: ['a', 'b'] } }],
  }
  const made = plan({ registrationConfiguration: { ...registrationConfiguration, featureGates: on } })
  assert.deepEqual(made.step === 'install' && made.installation, {
    namespace: 'hub',
    image: 'lanyard:1',
    featureGates: { ManagedClusterAutoApproval: true },
    registrationDrivers: ['csr'],
    autoApprovedUsers: ['a', 'b'],
    reach: true,
    access: true,
    pod: {},
  })
  const off = plan({ registrationConfiguration })
  assert.equal(off.step === 'install' && off.installation.autoApprovedUsers, undefined)
  assert.match(off.step === 'install' ? off.ignored.join() : '', /gate ManagedClusterAutoApproval is off/)
})

test('a hub that reaches no cluster may not read their Secrets, and answers for no ClusterConfig', () => {
  const partsOf = (mode: 'Enable' | 'Disable') => {
    const made = plan({ registrationConfiguration: { featureGates: [{ feature: 'Reach', mode }] } })
    assert.equal(made.step, 'install')
    return hubParts(made.installation, '')
  }
  const rightsOf = (mode: 'Enable' | 'Disable') => partsOf(mode).rights.map(({ object }) => object.metadata.name)
  assert.ok(rightsOf('Enable').includes(reachHubRole))
  assert.ok(!rightsOf('Disable').includes(reachHubRole))
  const asked = JSON.stringify(partsOf('Disable').webhooks)
  for (const { path } of reachDeclarations) assert.ok(!asked.includes(path), path)
})

test('what the API server fills in by itself is not called ignored', () => {
  const made = plan({ deployOption: { mode: 'Default' }, workConfiguration: { workDriver: 'kube' } })
  assert.deepEqual(made.step === 'install' && made.ignored, [])
})

test('hosted hubs, later drivers and unknown gates are refused', () => {
  const made = plan({
    deployOption: { mode: 'Hosted' },
    registrationConfiguration: {
      featureGates: [{ feature: 'X' }],
      registrationDrivers: [{ authType: 'csr' }, { authType: 'grpc' }],
    },
  })
  const why = made.step === 'refuse' ? made.why : ''
  assert.match(why, /mode is Hosted.*registrationDrivers\[1\]\.authType is grpc.*no gate X/)
})

test('a hub is progressing until every pod is of the newest form', () => {
  const said = (status: object) =>
    deploymentReports({ metadata: { generation: 2 }, spec: { selector: {}, template: {} }, status }).map(
      (report) => `${report.status} ${report.reason}`,
    )
  const running = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 }
  assert.deepEqual(said(running), ['False RegistrationFunctional', 'False ClusterManagerUpToDate'])
  const rolling = 'True ClusterManagerDeploymentRolling'
  for (const status of [{ observedGeneration: 1 }, { updatedReplicas: 0 }, { replicas: 2 }, { availableReplicas: 0 }])
    assert.deepEqual(said({ ...running, ...status })[1], rolling)
  assert.deepEqual(said({}), ['True UnavailableRegistrationPod', rolling])
})
