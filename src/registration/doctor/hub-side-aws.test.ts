import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { agentOrder, csrObject } from '../../fleet/csr/request.ts'
import { annotations, conditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { generateKey } from '../../pki/index.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import type { HubSide } from './hub-look.ts'
import { diagnoseHubSide } from './hub-side.ts'

const now = new Date('2026-01-01T00:00:00Z')
const since = '2025-12-31T23:00:00Z'
const arn = 'arn:aws:eks:us-west-2:123456789012:cluster/west'

interface Given {
  isAccepted?: boolean
  said?: [type: string, status: 'True' | 'False', reason: string, message: string][]
  marks?: Record<string, string>
  missingRights?: string[]
  renewTime?: string
  csrs?: HubSide['csrs']
}

function findings({ isAccepted = true, said = [], marks = {}, missingRights = [], csrs = [], renewTime }: Given) {
  const cluster = {
    metadata: {
      name: 'west',
      uid: '1',
      resourceVersion: '1',
      annotations: { [awsAnnotations.arn]: arn, ...marks },
    },
    spec: { hubAcceptsClient: isAccepted },
    status: {
      conditions: said.map(([type, status, reason, message]) => ({
        type,
        status,
        reason,
        message,
        lastTransitionTime: since,
      })),
    },
  } as unknown as Stored<ManagedCluster>
  const lease = renewTime === undefined ? undefined : { spec: { renewTime } }
  return diagnoseHubSide({ name: 'west', cluster, csrs, lease, missingRights }, now)
}
const ids = (given: Given) => findings(given).map(({ id }) => id)

const accepted: NonNullable<Given['said']>[number] = [conditions.accepted, 'True', 'HubClusterAdminAccepted', '']
const refused = (message: string): typeof accepted => [conditions.accepted, 'False', 'Error', message]
const joined: typeof accepted = [conditions.joined, 'True', 'ManagedClusterJoined', '']

test('a cluster that waits says which it is, and that there is no certificate request to look for', () => {
  const [finding, ...others] = findings({ isAccepted: false })
  assert.equal(finding?.id, 'not-accepted')
  assert.ok(finding?.evidence.includes(arn), finding?.evidence)
  assert.match(finding?.evidence ?? '', /no certificate request/)
  assert.match(finding?.fix ?? '', /lanyard accept west/)
  assert.deepEqual(others, [])
})

test('a role that is there for a cluster that is out is told, with what removes it', () => {
  const marks = { [annotations.awsRole]: 'ocm-hub-1:access-entry' }
  for (const said of [[], [refused('no credentials')]]) {
    const [finding, ...others] = findings({ isAccepted: false, marks, said })
    assert.match(finding?.evidence ?? '', /its role ocm-hub-1 is on record in AWS, and goes with `lanyard deny west`/)
    assert.deepEqual(others, [])
  }
})

test('what AWS refuses the hub is told in the hub’s own words', () => {
  const message = 'IAM refuses to trust arn:aws:iam::123456789012:role/x, which has to exist first; create it'
  const [finding, ...others] = findings({ said: [refused(message)] })
  assert.deepEqual([finding?.id, finding?.evidence], ['aws-access-missing', message])
  // Some of it is never tried again.
  assert.equal(finding?.fix, 'do what it says')
  assert.deepEqual(others, [])
})

test('rights that are missing besides are told too', () => {
  const given = { said: [refused('no')], missingRights: ['ClusterRole/x'] }
  assert.deepEqual(ids(given), ['aws-access-missing', 'rights-missing'])
})

test('an agent that was let in and does not come is told, until it has come', () => {
  const [finding] = findings({ said: [accepted] })
  assert.equal(finding?.id, 'aws-agent-not-in')
  assert.match(finding?.evidence ?? '', new RegExp(`accepted since ${since}.*${arn}`))
  assert.match(finding?.fix ?? '', /doctor west --managed-kubeconfig.*lanyard aws prerequisites cluster/)
  assert.deepEqual(ids({ said: [accepted, joined], renewTime: '2025-12-31T23:59:50Z' }), [])
})

test('a certificate of earlier days is not what is wrong with it', () => {
  const marks = { [annotations.certificateExpiresAt]: since }
  assert.deepEqual(ids({ said: [accepted, joined], marks, renewTime: since }), ['agent-down'])
})

test('a request of earlier days that came to nothing is not what is wrong with it, one that waits is', async () => {
  const request = await csrObject(agentOrder('west', 'a1'), generateKey().keyPem)
  const csr = (...types: string[]) => {
    const said = types.map((type) => ({ type, status: 'True', reason: 'Test', message: '' }))
    const metadata = { ...request.metadata, name: 'west-1', uid: '2', resourceVersion: '1' }
    return [{ ...request, metadata, status: { conditions: said } }] as HubSide['csrs']
  }
  const idsWith = (csrs: HubSide['csrs']) => ids({ said: [accepted, joined], renewTime: '2025-12-31T23:59:50Z', csrs })
  assert.deepEqual(idsWith(csr('Approved')), [])
  assert.deepEqual(idsWith(csr('Denied')), [])
  const [finding, ...others] = findings({ said: [accepted, joined], renewTime: '2025-12-31T23:59:50Z', csrs: csr() })
  assert.deepEqual([finding?.id, others], ['csr-pending', []])
  assert.match(finding?.evidence ?? '', /asks by csr.*marked as one of EKS/)
  assert.match(finding?.fix ?? '', /kubectl delete csr west-1.*--registration-auth awsirsa.*take the annotations/)
  assert.doesNotMatch(finding?.fix ?? '', /lanyard accept/)
})

test('one of the three annotations is enough to know it by', () => {
  for (const mark of [awsAnnotations.fieldArn, awsAnnotations.fieldSuffix]) {
    const marks = { [awsAnnotations.arn]: undefined as never, [mark]: 'x' }
    assert.deepEqual(ids({ said: [accepted], marks }), ['aws-agent-not-in'])
  }
})
