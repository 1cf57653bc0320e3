import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf, created, submitted, updated, whyNotCreated, whyNotUpdated } from '../../../test/support/kind-rules.ts'
import { daemonSets } from './daemon-set.ts'
import { deployments } from './deployment.ts'
import { replicaSets } from './replica-set.ts'

const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'a:1' }] } }
const spec = (change: object = {}) => ({ spec: { selector: { matchLabels: labels }, template, ...change } })
const all = { deployments, replicaSets, daemonSets }

for (const [name, kind] of Object.entries(all)) {
  test(`${name} keep their selector and their status`, () => {
    const old = created(kind, spec())
    assert.deepEqual(whyNotCreated(kind, spec()), [])
    assert.deepEqual(updated(kind, old, { status: { replicas: 9 } })['status'], old['status'])
    const other = { app: 'other' }
    const moved = { selector: { matchLabels: other }, template: { ...template, metadata: { labels: other } } }
    assert.deepEqual(whyNotUpdated(kind, old, { spec: { ...(old['spec'] as object), ...moved } }), [
      'spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable',
    ])
  })

  test(`a status of ${name} leaves the spec alone`, () => {
    const old = created(kind, spec())
    const { object, errors } = submitted(kind, 'status', old, { spec: {}, status: { replicas: 1, numberReady: 1 } })
    assert.deepEqual([object['spec'], errors], [old['spec'], []])
  })
}

test('a selector that cannot be is told before what it does not match', () => {
  const broken = spec({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } })
  assert.match(whyNotCreated(deployments, broken).join(), /invalid label selector$/)
  assert.equal(whyNotCreated(daemonSets, broken).length, 1)
})

test('a deployment rolls by a quarter unless it is told otherwise', () => {
  const strategyOf = (strategy?: object) =>
    (created(deployments, spec({ strategy }))['spec'] as { strategy: object }).strategy
  assert.deepEqual(strategyOf(), { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } })
  assert.deepEqual(strategyOf({ rollingUpdate: { maxSurge: 1 } }), {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: '25%', maxSurge: 1 },
  })
  assert.deepEqual(strategyOf({ type: 'Recreate' }), { type: 'Recreate' })
})

test('a collision is not forgotten', () => {
  const old = created(deployments, spec())
  old['status'] = { collisionCount: 2 }
  assert.deepEqual(submitted(deployments, 'status', old, { status: { collisionCount: 1 } }).errors, [
    'status.collisionCount: Invalid value: 1: cannot be decremented',
  ])
})

test('a daemon set counts the changes of its template', () => {
  const counter = 'deprecated.daemonset.template.generation'
  const old = created(daemonSets, spec())
  assert.equal(old.metadata.annotations?.[counter], '1')
  const same = updated(daemonSets, old, { spec: { ...(old['spec'] as object), minReadySeconds: 3 } })
  assert.equal(same.metadata.annotations?.[counter], '1')
  const moved = { ...template, metadata: { labels, annotations: { a: 'b' } } }
  const other = updated(daemonSets, old, { spec: { ...(old['spec'] as object), template: moved } })
  assert.equal(other.metadata.annotations?.[counter], '2')
})

test('scale shows how many there are to be, and changes that alone', () => {
  const view = deployments.subresources?.['scale']
  assert.equal(view?.type, 'view')
  if (view?.type !== 'view') return
  const deployment = created(deployments, spec({ replicas: 3 }))
  const shown = view.show(deployment)
  assert.deepEqual([shown['spec'], shown['status']], [{ replicas: 3 }, { replicas: 0, selector: 'app=web' }])
  const scaled = view.merge({ ...shown, spec: { replicas: 5 }, status: { replicas: 9 } }, deployment)
  assert.deepEqual(scaled, { ...deployment, spec: { ...(deployment['spec'] as object), replicas: 5 } })
  assert.equal(view.check?.({ ...shown, spec: { replicas: -1 } }).length, 1)
})

test('the tables of workloads', () => {
  const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 1 }
  const common = { Containers: 'main', Images: 'a:1', Selector: 'app=web' }
  const deployment = { ...created(deployments, spec({ replicas: 3 })), status }
  assert.deepEqual(cellsOf(deployments, deployment), { ...common, Ready: '2/3', 'Up-to-date': 1, Available: 1 })
  const replicaSet = { ...created(replicaSets, spec({ replicas: 3 })), status }
  assert.deepEqual(cellsOf(replicaSets, replicaSet), { ...common, Desired: 3, Current: 3, Ready: 2 })
  assert.equal(cellsOf(daemonSets, created(daemonSets, spec()))['Node Selector'], '<none>')
})
