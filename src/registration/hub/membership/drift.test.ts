import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labels } from '../../../fleet/names.ts'
import { differs, isDrift, mustBeReplaced, repair } from '../../../fleet/wanted/drift.ts'
import type { Named } from '../../../fleet/wanted/named.ts'
import type { KubeObject, Stored } from '../../../kube/objects.ts'
import { acceptedRbac } from './rbac.ts'

const { clusterRole, workBinding } = acceptedRbac('west', { team: 'fleet' })

/** As the server would give it back, with changes. */
function stored<T extends KubeObject>(wanted: Named<T>, { metadata = {}, ...rest }: Record<string, unknown> = {}) {
  const server = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  return {
    ...structuredClone(wanted),
    ...rest,
    metadata: { ...wanted.metadata, ...server, ...(metadata as object) },
  } as Stored<T>
}

test('what others add to an object is no drift', () => {
  const more = {
    labels: { ...workBinding.metadata.labels, mine: 'yes' },
    annotations: { note: 'x' },
    finalizers: ['example.com/other', ...(workBinding.metadata.finalizers ?? [])],
  }
  assert.equal(differs(workBinding, stored(workBinding, { metadata: more })), false)
})

const edits: Record<string, [Named<KubeObject>, Record<string, unknown>]> = {
  'a rule more': [clusterRole, { rules: [...(clusterRole.rules ?? []), { verbs: ['*'] }] }],
  'no rules': [clusterRole, { rules: undefined }],
  'rules that another writer fills in': [clusterRole, { aggregationRule: {} }],
  'a subject less': [workBinding, { subjects: workBinding.subjects?.slice(1) }],
  'no finalizer': [workBinding, { metadata: { finalizers: undefined } }],
  'another owner': [
    clusterRole,
    { metadata: { labels: { ...clusterRole.metadata.labels, [labels.clusterName]: 'east' } } },
  ],
  'no labels': [clusterRole, { metadata: { labels: undefined } }],
  'a deletion': [workBinding, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  'another role': [workBinding, { roleRef: { ...workBinding.roleRef, name: 'cluster-admin' } }],
}
for (const [what, [wanted, edit]] of Object.entries(edits))
  test(`${what} is drift`, () => assert.equal(differs(wanted, stored(wanted, edit)), true))

test('a repair sets what is ours and keeps the finalizers of others', () => {
  const existing = stored(workBinding, { metadata: { finalizers: ['example.com/other'] } })
  const { metadata } = repair(workBinding, existing) as Named<KubeObject>
  assert.deepEqual(metadata.finalizers, ['example.com/other', ...(workBinding.metadata.finalizers ?? [])])
  assert.deepEqual(metadata.labels, workBinding.metadata.labels)
})

test('a role whose rules another writer fills in is taken from it', () => {
  const { aggregationRule } = repair(clusterRole, stored(clusterRole, { aggregationRule: {} })) as Record<
    string,
    unknown
  >
  assert.equal(aggregationRule, null)
})

test('only a deletion and another role take a new object', () => {
  const replaced = Object.entries(edits).filter(([, [wanted, edit]]) => mustBeReplaced(wanted, stored(wanted, edit)))
  assert.deepEqual(replaced.map(([what]) => what).sort(), ['a deletion', 'another role'])
})

test('a change is drift when it leaves something other than it should be', () => {
  const object = stored(clusterRole)
  assert.equal(isDrift({ type: 'added', object }, clusterRole), false)
  assert.equal(isDrift({ type: 'added', object }, undefined), true)
  assert.equal(isDrift({ type: 'deleted', object }, clusterRole), true)
  assert.equal(isDrift({ type: 'deleted', object }, undefined), false)
  const edited = stored(clusterRole, { rules: [] })
  assert.equal(isDrift({ type: 'updated', object: edited, previous: object }, clusterRole), true)
})
