import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { annotations, conditions } from '../../fleet/names.ts'
import type { Handler } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import { awsAnnotations, awsRecordAnnotation } from '../drivers/marks.ts'
import type { HubDeps } from './deps.ts'
import { passesOf, registrationPasses } from './passes.ts'

const now = new Date('2026-03-01T12:30:00Z')

const aCluster = (expiresAt?: string): Stored<ManagedCluster> => ({
  metadata: {
    name: 'west',
    uid: 'u',
    resourceVersion: '1',
    annotations: expiresAt
      ? {
          [annotations.agentName]: 'a1',
          [annotations.certificateIssuedAt]: '2026-03-01T12:00:00Z',
          [annotations.certificateExpiresAt]: expiresAt,
          [annotations.certificateFingerprint]: 'AB:CD',
        }
      : {},
  },
})

test('the certificate on record is a pass of its agent', () => {
  assert.deepEqual(passesOf(aCluster('2026-03-01T13:00:00Z'), now), [
    {
      id: 'join/west',
      kind: 'join',
      holder: 'west/a1',
      issuer: 'kubernetes.io/kube-apiserver-client',
      issuedAt: new Date('2026-03-01T12:00:00Z'),
      expiresAt: new Date('2026-03-01T13:00:00Z'),
      keptIn: 'cluster/west: secret/open-cluster-management-agent/hub-kubeconfig-secret',
      fingerprint: 'AB:CD',
      state: 'PassIssued',
    },
  ])
})

test('a cluster without a certificate has no pass', () => {
  assert.deepEqual(passesOf(aCluster(), now), [])
})

const role = 'ocm-hub-5e0a3f8a1c6d4b2f9e7d8c0b1a2f3e4d'

interface AwsCluster {
  record?: string
  isAccepted?: boolean
  status?: 'True' | 'False'
  noted?: Record<string, string>
  deletionTimestamp?: string
}

const anAwsCluster = ({ record, isAccepted = true, status, noted = {}, ...more }: AwsCluster = {}) => {
  const plain = aCluster()
  const said = { type: conditions.accepted, reason: 'Test', message: '', lastTransitionTime: '2026-03-01T11:00:00Z' }
  return {
    metadata: {
      ...plain.metadata,
      ...more,
      creationTimestamp: '2026-03-01T09:00:00Z',
      annotations: {
        [awsAnnotations.arn]: 'arn:aws:eks:eu-west-1:123456789012:cluster/west',
        [annotations.acceptedBefore]: '2026-03-01T10:00:00Z',
        ...(record !== undefined && { [awsRecordAnnotation]: record }),
        ...noted,
      },
    },
    spec: { hubAcceptsClient: isAccepted },
    status: { conditions: status ? [{ ...said, status }] : [] },
  } satisfies Stored<ManagedCluster>
}

test('the AWS role on record is a pass of its cluster, which does not end by itself', () => {
  assert.deepEqual(passesOf(anAwsCluster({ record: `${role}:access-entry`, status: 'True' }), now), [
    {
      id: 'join/west/aws',
      kind: 'join',
      holder: 'west',
      issuer: 'iam.amazonaws.com',
      issuedAt: new Date('2026-03-01T11:00:00Z'),
      keptIn: `iam: role/${role}`,
      fingerprint: role,
      state: 'PassIssued',
    },
  ])
})

test('an AWS role is told of from before it is made until the last of it is gone', () => {
  const told = (given: AwsCluster) => passesOf(anAwsCluster(given), now).map(({ state, issuedAt }) => [state, issuedAt])
  const firstLetIn = new Date('2026-03-01T10:00:00Z')
  assert.deepEqual(told({}), [])
  assert.deepEqual(told({ record: `${role}:access-entry:begun` }), [['AwaitingIssuer', firstLetIn]])
  const record = `${role}:access-entry`
  assert.deepEqual(told({ record, isAccepted: false, status: 'False' }), [['PassRevoked', firstLetIn]])
  assert.deepEqual(
    told({ record, status: 'True', deletionTimestamp: '2026-03-01T12:00:00Z' }).map(([state]) => state),
    ['PassRevoked'],
  )
  assert.deepEqual(told({ isAccepted: false, status: 'False' }), [])
  assert.deepEqual(told({ record: 'of:another:form' }), [])
})

test('a certificate from before its agent came by an AWS role is told of until it ends', () => {
  const ids = (expiresAt: string) => {
    const noted = aCluster(expiresAt).metadata.annotations ?? {}
    return passesOf(anAwsCluster({ record: `${role}:access-entry`, noted }), now).map(({ id }) => id)
  }
  assert.deepEqual(ids('2026-03-01T13:00:00Z'), ['join/west', 'join/west/aws'])
  assert.deepEqual(ids('2026-03-01T12:30:00Z'), ['join/west/aws'])
  assert.equal(passesOf(aCluster('2026-03-01T12:00:00Z'), now).length, 1)
})

test('changes are told once, and the end of a cluster ends its pass', async () => {
  const clock = new FakeClock(now)
  let tell: Handler<ManagedCluster> = () => {}
  const on = (handler: Handler<ManagedCluster>) => {
    tell = handler
    return { [Symbol.dispose]() {} }
  }
  const passes = registrationPasses({ view: { clusters: { on } }, clock } as unknown as HubDeps)
  const stop = new AbortController()
  const running = passes.run(stop.signal)
  const changes = passes.changes(stop.signal)[Symbol.asyncIterator]()
  const next = async () => (await changes.next()).value?.expiresAt?.toISOString()

  tell({ type: 'added', object: aCluster() })
  tell({ type: 'updated', previous: aCluster(), object: aCluster('2026-03-01T13:00:00Z') })
  assert.equal(await next(), '2026-03-01T13:00:00.000Z')
  tell({ type: 'updated', previous: aCluster(), object: aCluster('2026-03-01T13:00:00Z') })
  tell({ type: 'updated', previous: aCluster(), object: aCluster('2026-03-01T14:00:00Z') })
  assert.equal(await next(), '2026-03-01T14:00:00.000Z')
  assert.deepEqual(
    (await Array.fromAsync(passes.list())).map(({ holder }) => holder),
    ['west/a1'],
  )
  tell({ type: 'deleted', object: aCluster('2026-03-01T14:00:00Z') })
  assert.equal(await next(), '2026-03-01T12:30:00.000Z')
  stop.abort()
  await running
})
