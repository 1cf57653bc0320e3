import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { accountUser, addonConditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { formatAnnouncement } from './announcement.ts'
import { isNews } from './hub-view.ts'

type Addon = Stored<ManagedClusterAddOn>

const account = 'west-logs-agent'
const condition = (
  status: string,
  reason: string,
  message: string,
  type: string = addonConditions.tokenInfrastructureReady,
) => ({
  type,
  status,
  reason,
  message,
})
const ready = (uid: string) =>
  condition('True', 'TokenInfrastructureReady', formatAnnouncement({ namespace: 'west', account, uid }))
const addon = (
  conditions: object[] = [],
  { driver = 'token', user = accountUser('west', account), metadata = {} } = {},
) =>
  ({
    metadata: { name: 'logs', namespace: 'west', ...metadata },
    status: { conditions, registrations: [{ type: 'kubeClient', kubeClient: { driver, subject: { user } } }] },
  }) as unknown as Addon

const placed = new Map([['west/logs', ['1', '2', '3']]])
const failing = new Set(['west/logs'])
const updated = (previous: Addon, object: Addon, known = placed, failed = failing) =>
  isNews({ type: 'updated', previous, object }, known, failed)

test('an add-on that comes or goes is news', () => {
  for (const type of ['added', 'deleted'] as const) assert.ok(isNews({ type, object: addon() }, placed, failing))
})

test('so is what it declares, and that it is about to go', () => {
  assert.ok(updated(addon(), addon([], { driver: 'csr' })))
  assert.ok(updated(addon(), addon([], { user: 'someone' })))
  assert.ok(updated(addon(), addon([], { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })))
})

test('what the hub itself says is not, and neither is what others say of other things', () => {
  assert.ok(!updated(addon(), addon([ready('1')])))
  assert.ok(!updated(addon([ready('1')]), addon([condition('False', 'TokenInfrastructureApplyFailed', 'x')])))
  assert.ok(!updated(addon([ready('1')]), addon(), new Map()))
  assert.ok(!updated(addon([ready('1')]), addon([ready('1'), condition('True', 'x', 'y', 'Available')])))
})

test('word of a failure that is over is news', () => {
  const failed = addon([condition('False', 'TokenInfrastructureApplyFailed', 'x')])
  assert.ok(updated(addon([ready('1')]), failed, placed, new Set()))
})

test('what somebody else says in its place is', () => {
  for (const forged of [
    [ready('9')],
    [],
    [condition('True', 'TokenInfrastructureReady', 'ServiceAccount west/other (UID: 1) is ready')],
    [condition('True', 'Other', ready('1').message)],
    [condition('Unknown', 'TokenInfrastructureReady', ready('1').message)],
    [condition('False', 'Other', 'x')],
  ])
    assert.ok(updated(addon([ready('1')]), addon(forged)), JSON.stringify(forged))
})
