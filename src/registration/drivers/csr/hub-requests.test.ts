import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../../fleet/csr/request.ts'
import type { Handler } from '../../../kube/informer.ts'
import type { KubeObject, Stored } from '../../../kube/objects.ts'
import { generateKey } from '../../../pki/index.ts'
import { clusterRequests } from './hub-requests.ts'

type Csr = CertificateSigningRequest

let asked: Csr
before(async () => {
  asked = await csrObject(agentOrder('west', 'a1'), generateKey().keyPem)
})

const aCsr = (name: string, decision?: string): Stored<Csr> => ({
  ...asked,
  metadata: { ...asked.metadata, name, uid: name, resourceVersion: '1' },
  ...(decision !== undefined && { status: { conditions: [{ type: decision, status: 'True' }] } }),
})

const aCluster = (uid: string): Stored<ManagedCluster> => ({ metadata: { name: 'west', uid, resourceVersion: '1' } })

/** An informer as far as it is used here. */
function told<T extends KubeObject>() {
  const handlers: Handler<T>[] = []
  const on = (handler: Handler<T>) => {
    handlers.push(handler)
    return { [Symbol.dispose]() {} }
  }
  const tell = (change: Parameters<Handler<T>>[0]) => {
    for (const handler of handlers) handler(change)
  }
  return { on, tell }
}

function scene() {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  const [csrs, clusters] = [told<Csr>(), told<ManagedCluster>()]
  const kept = new Map<string, Stored<Csr>>()
  const byIndex = () => [...kept.values()]
  let created: string | undefined
  const get = () =>
    created === undefined
      ? undefined
      : { metadata: { name: 'west', uid: 'u2', resourceVersion: '1', creationTimestamp: created } }
  const requests = clusterRequests({ csrs: { on: csrs.on, byIndex }, clusters: { on: clusters.on, get } }, clock)
  const names = () => requests.of('west').map(({ csr }) => csr.metadata.name)
  return {
    clock,
    requests,
    names,
    put(object: Stored<Csr>) {
      const previous = kept.get(object.metadata.name)
      kept.set(object.metadata.name, object)
      csrs.tell(previous ? { type: 'updated', previous, object } : { type: 'added', object })
    },
    createCluster(at: string) {
      created = at
    },
    endCluster() {
      clusters.tell({ type: 'deleted', object: { metadata: { name: 'west', uid: 'u', resourceVersion: '1' } } })
    },
  }
}

test('a request keeps the moment it was seen first, whatever becomes of it', async () => {
  const { clock, requests, put } = scene()
  const first = clock.now()
  put(aCsr('csr'))
  await clock.advance('1m')
  put(aCsr('csr', 'Approved'))
  assert.deepEqual(
    requests.of('west').map(({ seenAt }) => seenAt),
    [first],
  )
})

test('what this hub approved counts as approved before the watch tells', () => {
  const { requests, put, createCluster } = scene()
  createCluster('2026-03-01T11:00:00Z')
  put(aCsr('approved'))
  put(aCsr('open'))
  const decisions = () => requests.of('west').map(({ csr }) => decisionOn(csr))
  const [first] = requests.of('west')
  assert.ok(first)
  requests.noteApproval(first, aCluster('u2'))
  assert.deepEqual(decisions(), ['approved', 'none'])
  put(aCsr('approved', 'Denied'))
  assert.deepEqual(decisions(), ['denied', 'none'])
})

test('an approval that a server which was set back has forgotten is none', () => {
  const { requests, put, createCluster } = scene()
  createCluster('2026-03-01T11:00:00Z')
  put(aCsr('csr'))
  const [first] = requests.of('west')
  assert.ok(first)
  requests.noteApproval(first, aCluster('u2'))
  put(aCsr('csr', 'Approved'))
  put(aCsr('csr'))
  assert.deepEqual(
    requests.of('west').map(({ csr }) => decisionOn(csr)),
    ['none'],
  )
})

test('what is not ours is left out, the rest comes by age and name', () => {
  const { names, put } = scene()
  put(aCsr('b'))
  put(aCsr('a'))
  put({ ...aCsr('c'), spec: { ...asked.spec, signerName: 'example.com/other' } })
  assert.deepEqual(names(), ['a', 'b'])
})

test('what was decided for a cluster that is gone says nothing of the next one of that name', () => {
  const { names, put, endCluster } = scene()
  put(aCsr('approved', 'Approved'))
  put(aCsr('open'))
  endCluster()
  assert.deepEqual(names(), ['open'])
})

test('a request is shown as it is now, and judged anew when its labels change', () => {
  const { requests, names, put } = scene()
  put(aCsr('csr'))
  assert.deepEqual(names(), ['csr'])
  const approved = aCsr('csr', 'Approved')
  put(approved)
  assert.equal(requests.of('west')[0]?.csr, approved)
  put({ ...approved, metadata: { ...approved.metadata, labels: {} } })
  assert.deepEqual(names(), [])
  put(approved)
  assert.deepEqual(names(), ['csr'])
})

const at = (name: string, asked: string, decided?: string): Stored<Csr> => {
  const csr = aCsr(name, decided === undefined ? undefined : 'Approved')
  const metadata = { ...csr.metadata, creationTimestamp: asked as never }
  if (decided === undefined) return { ...csr, metadata }
  const condition = { type: 'Approved', status: 'True', lastUpdateTime: decided as never }
  return { ...csr, metadata, status: { conditions: [condition] } }
}

test('what was asked and decided before the cluster was created is an earlier one, also for a hub that comes later', () => {
  const { names, put, createCluster } = scene()
  createCluster('2026-03-01T12:00:10Z')
  put(at('before', '2026-03-01T12:00:00Z', '2026-03-01T12:00:05Z'))
  put(at('across', '2026-03-01T12:00:00Z', '2026-03-01T12:00:15Z'))
  put(at('by-a-slow-clock', '2026-03-01T12:00:20Z', '2026-03-01T12:00:05Z'))
  put(at('open', '2026-03-01T12:00:00Z'))
  assert.deepEqual(names().sort(), ['across', 'by-a-slow-clock', 'open'])
})

test('what this hub approved is of the cluster it was approved for, whatever the clocks say and the watch shows', () => {
  for (const [approvedFor, expected] of [
    ['u2', ['own']],
    ['u1', []],
  ] as const) {
    const { requests, names, put, createCluster } = scene()
    put(at('own', '2026-03-01T12:00:00Z'))
    createCluster('2026-03-01T12:00:10Z')
    const [own] = requests.of('west')
    assert.ok(own)
    requests.noteApproval(own, aCluster(approvedFor))
    assert.deepEqual(names(), expected)
    // By a clock that is behind, and by one that is ahead.
    for (const decided of ['2026-03-01T12:00:05Z', '2026-03-01T12:00:15Z']) {
      put(at('own', '2026-03-01T12:00:00Z', decided))
      assert.deepEqual(names(), expected)
    }
  }
})
