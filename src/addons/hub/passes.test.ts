import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../core/conditions.ts'
import type { Handler } from '../../kube/informer.ts'
import { anAddon, signerItem } from '../agent/testing/builders.ts'
import type { AddonHubDeps } from './deps.ts'
import { addonPasses, passesOf } from './passes.ts'

const condition = (type: string, status: Condition['status'], message: string): Condition => ({
  ...{ type, status, message },
  reason: status === 'True' ? 'Good' : 'Bad',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
const byToken = { type: 'kubeClient' as const, kubeClient: { driver: 'token' as const } }
const byCertificate = { type: 'kubeClient' as const, kubeClient: { driver: 'csr' as const } }
const expiry = 'Addon token refreshed, expires at 2027-01-01T00:00:00Z'

test('a token is a pass until the time its condition tells', () => {
  const conditions = [condition('AddonTokenRefreshed', 'True', expiry)]
  assert.deepEqual(passesOf(anAddon('chart', { registrations: [byToken], conditions })), [
    {
      id: 'addon/west/chart/chart-hub-kubeconfig',
      kind: 'addon',
      holder: 'west/chart',
      issuer: 'serviceaccounts/token',
      issuedAt: new Date('2026-01-01T00:00:00Z'),
      expiresAt: new Date('2027-01-01T00:00:00Z'),
      keptIn: 'cluster/west: secret/open-cluster-management-agent-addon/chart-hub-kubeconfig',
      fingerprint: '',
      state: 'PassIssued',
    },
  ])
})

test('a token that could not be replaced is a pass as long as it is good, and its state says what is wrong', () => {
  const message = 'no token could be had; the token at hand is good until 2026-02-01T00:00:00Z'
  const conditions = [condition('TokenRefreshed', 'False', message)]
  const [pass] = passesOf(anAddon('chart', { registrations: [byToken], conditions }))
  assert.deepEqual([pass?.expiresAt?.toISOString(), pass?.state], ['2026-02-01T00:00:00.000Z', 'Bad'])
  const silent = [condition('TokenRefreshed', 'False', 'no token could be had')]
  assert.deepEqual(passesOf(anAddon('chart', { registrations: [byToken], conditions: silent })), [])
})

test('of several certificates each has its own dates', () => {
  const valid = (from: string, to: string) => `the client certificate is valid from ${from} to ${to}`
  const [first, second] = [
    valid('2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z'),
    valid('2026-02-01T00:00:00Z', '2026-07-01T00:00:00Z'),
  ]
  const registrations = [byCertificate, signerItem('example.com/one'), signerItem('example.com/two')]
  const message = `kubeClient: ${first}; example.com/two: ${second}`
  const conditions = [condition('ClusterCertificateRotated', 'True', message)]
  assert.deepEqual(
    passesOf(anAddon('chart', { registrations, conditions })).map(({ issuer, issuedAt, expiresAt }) => [
      issuer,
      issuedAt.getUTCMonth(),
      expiresAt?.getUTCMonth(),
    ]),
    [
      ['kubernetes.io/kube-apiserver-client', 0, 5],
      ['example.com/two', 1, 6],
    ],
  )
})

test('changes are told once, and what is gone ends', async () => {
  const clock = new FakeClock('2026-03-01T12:30:00Z')
  let tell: Handler<ManagedClusterAddOn> = () => {}
  const on = (handler: Handler<ManagedClusterAddOn>) => {
    tell = handler
    return { [Symbol.dispose]() {} }
  }
  const passes = addonPasses({ view: { addons: { on } }, clock } as unknown as AddonHubDeps)
  const stop = new AbortController()
  const running = passes.run(stop.signal)
  const changes = passes.changes(stop.signal)[Symbol.asyncIterator]()
  const next = async () => (await changes.next()).value?.expiresAt?.toISOString()
  const object = anAddon('chart', {
    registrations: [byToken],
    conditions: [condition('TokenRefreshed', 'True', expiry)],
  })
  tell({ type: 'added', object: anAddon('chart') })
  tell({ type: 'updated', previous: object, object })
  assert.equal(await next(), '2027-01-01T00:00:00.000Z')
  tell({ type: 'updated', previous: object, object })
  assert.equal((await Array.fromAsync(passes.list())).length, 1)
  tell({ type: 'deleted', object })
  assert.equal(await next(), '2026-03-01T12:30:00.000Z')
  assert.equal((await Array.fromAsync(passes.list())).length, 0)
  stop.abort()
  await running
})

test('what an agent writes without end or sense makes neither passes without end nor dates that are none', () => {
  const registrations = Array.from({ length: 2_000 }, (_, n) => signerItem(`example.com/${n}`))
  const message = registrations.map(
    (_, n) => `example.com/${n}: valid from 2026-99-99T00:00:00Z to 2026-07-01T00:00:00Z`,
  )
  const conditions = [condition('ClusterCertificateRotated', 'True', message.join('; '))]
  const passes = passesOf(anAddon('chart', { registrations, conditions }))
  assert.equal(passes.length, 100)
  for (const { issuedAt, expiresAt } of passes)
    assert.deepEqual([issuedAt.getTime() > 0, expiresAt?.toISOString()], [true, '2026-07-01T00:00:00.000Z'])
})
