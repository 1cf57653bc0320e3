import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { annotations, finalizers } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { isNews, phaseOf } from './phase.ts'

interface Given {
  accepts?: boolean
  reason?: string
  held?: string[]
  deleted?: boolean
  annotated?: Record<string, string>
  label?: string
}

const both = [finalizers.apiResourceCleanup, finalizers.resourceCleanup]

function aCluster({ accepts, reason, held, deleted, annotated, label }: Given): Stored<ManagedCluster> {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  const condition = { type: 'HubAcceptedManagedCluster', status: 'True' as const, reason: reason ?? '', message: '' }
  return {
    metadata: {
      name: 'west',
      uid: 'u',
      resourceVersion: '1',
      ...(held && { finalizers: held }),
      ...(deleted && { deletionTimestamp: lastTransitionTime }),
      ...(annotated && { annotations: annotated }),
      ...(label && { labels: { label } }),
    },
    spec: { ...(accepts !== undefined && { hubAcceptsClient: accepts }) },
    ...(reason && { status: { conditions: [{ ...condition, lastTransitionTime }] } }),
  }
}

const phases: [string, Given, ReturnType<typeof phaseOf>][] = [
  ['nobody has accepted', {}, 'new'],
  ['is only held for its add-ons', { accepts: false, held: [finalizers.resourceCleanup] }, 'new'],
  ['is accepted', { accepts: true }, 'accepted'],
  ['was accepted, as its finalizer says', { accepts: false, held: both }, 'denied'],
  ['was accepted, as its condition says', { accepts: false, reason: 'HubClusterAdminAccepted' }, 'denied'],
  ['is deleted while accepted', { accepts: true, held: both, deleted: true }, 'deleting'],
]
for (const [what, given, phase] of phases)
  test(`a cluster that ${what} is ${phase}`, () => assert.equal(phaseOf(aCluster(given)), phase))

const accepted: Given = { accepts: true, held: both, reason: 'HubClusterAdminAccepted' }
const updates: [what: string, previous: Given, object: Given, news: boolean][] = [
  ['our own finalizers', { accepts: true }, { accepts: true, held: both }, false],
  ['our own report', { accepts: true, held: both }, accepted, false],
  ['our own error', accepted, { ...accepted, reason: 'Error' }, false],
  ['somebody’s label', accepted, { ...accepted, label: 'x' }, false],
  ['an acceptance', {}, { accepts: true }, true],
  ['a denial', accepted, { ...accepted, accepts: false }, true],
  [
    'our own report of a denial',
    { ...accepted, accepts: false },
    { ...accepted, accepts: false, reason: 'HubClusterAdminDenied' },
    false,
  ],
  ['a deletion', accepted, { ...accepted, deleted: true }, true],
  ['a finalizer that is lost', accepted, { ...accepted, held: [finalizers.resourceCleanup] }, true],
  ['a condition that is lost', accepted, { accepts: true, held: both }, true],
  [
    'an agent that takes its cluster off',
    { accepts: false },
    { accepts: false, annotated: { [annotations.unjoinedAt]: '2026-01-01T00:00:00Z' } },
    true,
  ],
  [
    'what a driver goes by',
    accepted,
    { ...accepted, annotated: { 'agent.open-cluster-management.io/arn': 'x' } },
    true,
  ],
  ['what the hub notes itself', accepted, { ...accepted, annotated: { [annotations.agentName]: 'x' } }, false],
]
for (const [what, previous, object, news] of updates)
  test(`${what} is ${news ? '' : 'no '}news`, () =>
    assert.equal(isNews({ type: 'updated', previous: aCluster(previous), object: aCluster(object) }), news))
