import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Stored } from '../../kube/objects.ts'
import { aKubeClient, aRequest } from '../drivers/csr/testing/items.ts'
import { addonOverview } from './addon-overview.ts'

type Status = NonNullable<ManagedClusterAddOn['status']>

const now = new Date('2026-11-15T12:00:00Z')
const byToken: Status['registrations'] = [
  { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user: 'system:serviceaccount:west:west-a-agent' } } },
]
const byCertificate: Status['registrations'] = [{ type: 'kubeClient', kubeClient: { driver: 'csr' } }]

const condition = (type: string, status: 'True' | 'False' | 'Unknown', message = '', reason = 'Reason') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-11-15T11:00:00Z',
})
const ready = condition('TokenInfrastructureReady', 'True')
const isThere = condition('Available', 'True')

const addon = (registrations: Status['registrations'], ...conditions: ReturnType<typeof condition>[]) =>
  ({
    metadata: {
      name: 'a',
      namespace: 'west',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2026-11-15T10:00:00Z',
    },
    spec: {},
    status: { registrations, conditions },
  }) as unknown as Stored<ManagedClusterAddOn>

const seen = (...given: Parameters<typeof addon>) => addonOverview(addon(...given), [], now)
const ids = (...given: Parameters<typeof addon>) => seen(...given).troubles.map(({ id }) => id)

test('an add-on with a token is as good as its token is long', () => {
  const message = 'Addon token refreshed, expires at 2026-11-16T12:00:00Z'
  const { driver, credential, credentialExpiresAt, troubles } = seen(
    byToken,
    ready,
    isThere,
    condition('AddonTokenRefreshed', 'True', message),
  )
  assert.deepEqual([driver, credential, troubles], ['token', 'valid', []])
  assert.deepEqual(credentialExpiresAt, new Date('2026-11-16T12:00:00Z'))
})

test('the condition of the field tells the same', () => {
  const message = 'Addon token refreshed, expires at 2026-11-16T12:00:00Z'
  assert.equal(seen(byToken, ready, condition('TokenRefreshed', 'True', message)).credential, 'valid')
})

test('a certificate is good until the second of the times that its condition names', () => {
  const message = 'the client certificate is valid from 2026-11-15T09:00:00Z to 2026-11-15T11:59:59Z'
  const { credential, troubles } = seen(byCertificate, condition('ClusterCertificateRotated', 'True', message))
  assert.equal(credential, 'expired')
  assert.deepEqual(
    troubles.map(({ id }) => id),
    ['addon-credential-expired'],
  )
})

test('the worst credential is the one that is told', () => {
  const custom = { type: 'customSigner' as const, customSigner: { signerName: 'example.com/signer' } }
  const { credential } = seen(
    [...(byToken ?? []), custom],
    ready,
    condition('AddonTokenRefreshed', 'True', 'until 2026-11-16T12:00:00Z'),
    condition('ClusterCertificateRotated', 'False', 'denied'),
  )
  assert.equal(credential, 'failed')
})

test('what is missing is named, what explains the rest first', () => {
  assert.deepEqual(ids([{ type: 'kubeClient' }]), ['addon-not-taken-up'])
  assert.deepEqual(ids(byToken), ['addon-account-missing'])
  assert.deepEqual(ids(byToken, condition('TokenInfrastructureReady', 'False', 'quota')), ['addon-account-missing'])
  assert.deepEqual(ids(byToken, ready, condition('AddonTokenRefreshed', 'False', 'refused')), [
    'addon-credential-missing',
  ])
  assert.deepEqual(ids(byCertificate, condition('RegistrationApplied', 'False', 'no signer')), ['addon-refused'])
  assert.deepEqual(ids([], condition('Available', 'Unknown', 'no lease')), ['addon-silent'])
})

test('an add-on that asks for nothing and says nothing is well', () => {
  const { credential, troubles } = seen([])
  assert.deepEqual([credential, troubles], ['none', []])
})

test('a request waits for a person only if the agent of this very cluster asks for what is registered', async () => {
  const item = aKubeClient({}, 'a')
  const own = await aRequest(item)
  const others = [
    await aRequest(item, { username: 'somebody' }),
    await aRequest(item, { username: 'system:open-cluster-management:west2:a1' }),
    await aRequest(item, { username: 'system:open-cluster-management:wes:a1' }),
    await aRequest(aKubeClient({ user: 'system:admin', groups: ['system:masters'] }, 'a')),
    await aRequest(item, { decided: 'Denied' }),
  ]
  const overview = addonOverview(addon(byCertificate), [...others, own], now)
  assert.deepEqual(overview.pendingRequests, [own.metadata.name])
  const [waits] = overview.troubles
  assert.equal(waits?.id, 'addon-csr-pending')
  const subject = 'system:open-cluster-management:cluster:west:addon:a'
  for (const shown of ['system:open-cluster-management:west:a1', `${subject}:agent:a`, `groups ${subject}`])
    assert.ok(waits?.evidence.includes(shown), `${shown} in ${waits?.evidence}`)
  assert.deepEqual(addonOverview(addon(byCertificate), others, now).troubles, [])
})
