import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Step } from '../../core/step.ts'
import { decisionOn } from '../../fleet/csr/approval.ts'
import { conditions, labels } from '../../fleet/names.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { awsAnnotations, awsRecordAnnotation } from '../drivers/marks.ts'
import { acceptCluster } from './accept.ts'
import type { AwsWork } from './aws-work.ts'
import { denyCluster } from './deny.ts'
import { leaveHub } from './unjoin.ts'

const choices = { requesters: [], replaceAgent: false, skipApproveCheck: false, intoForeignNamespace: false }
const fromEks = { [awsAnnotations.arn]: 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke' }

/** Which the one in memory takes for real. */
const withDryRuns = (kube: Kube): Kube => ({
  request: (options) => kube.request(options),
  of(resource, namespace) {
    const all = kube.of(resource, namespace)
    const patch: typeof all.patch = (name, change, o) => (o?.dryRun ? all.get(name) : all.patch(name, change, o))
    return { ...all, metadata: all.metadata, patch }
  },
})

/** A hub in memory, and somebody with or without AWS credentials of their own. */
async function scene(by: 'own' | 'hub', annotations: Record<string, string> = fromEks, isAccepted = false) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const clusters = kube.of(ManagedCluster.resource)
  const made = { metadata: { name: 'west', annotations }, spec: { hubAcceptsClient: isAccepted } }
  await clusters.create({ ...made, metadata: { ...made.metadata } })
  const isIn = async () => (await clusters.get('west')).spec?.hubAcceptsClient === true
  const log: string[] = []
  const work = (what: string) =>
    async function* (): AsyncGenerator<Step> {
      log.push(`${what} while ${(await isIn()) ? 'in' : 'out'}`)
      yield { did: what }
    }
  const check = async () => void log.push('checked')
  const aws: AwsWork = { by: async () => by, hubWithinMs: 1_000, check, accept: work('made'), revoke: work('removed') }
  const deps = { kube: withDryRuns(kube), clock, signal: new AbortController().signal, aws }
  return { clock, clusters, deps, log, isIn, aws }
}

test('with credentials of their own, people make the role first and accept then', async () => {
  const { deps, log, isIn } = await scene('own')
  await Array.fromAsync(acceptCluster('west', choices, deps))
  assert.deepEqual(log, ['made while out'])
  assert.equal(await isIn(), true)
})

test('who cannot make the role has let nobody in', async () => {
  const { deps, aws, isIn } = await scene('own')
  const failing = {
    ...aws,
    async *accept(): AsyncGenerator<Step> {
      yield { doing: 'trying' }
      throw new Error('no right')
    },
  }
  await assert.rejects(Array.fromAsync(acceptCluster('west', choices, { ...deps, aws: failing })), /no right/)
  assert.equal(await isIn(), false)
})

test('accepted already: what is missing in AWS comes back', async () => {
  const { deps, log } = await scene('own', fromEks, true)
  const steps = await Array.fromAsync(acceptCluster('west', choices, deps))
  assert.deepEqual(log, ['made while in'])
  assert.deepEqual(steps.at(-1), { did: 'west is accepted already' })
})

test('where the hub makes roles it is waited for, and what it says is told when the time is up', async () => {
  const { deps, log, clusters, clock } = await scene('hub')
  const condition = (status: string, reason: string, message: string) => ({
    type: conditions.accepted,
    ...{ status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' },
  })
  const say = (...said: Parameters<typeof condition>) =>
    clusters.patch(
      'west',
      { type: 'merge', body: { status: { conditions: [condition(...said)] } } },
      { subresource: 'status' },
    )
  await say('False', 'Error', 'AWS does not answer')
  const running = Array.fromAsync(acceptCluster('west', choices, deps))
  running.catch(() => {})
  await clock.advance('2s')
  await assert.rejects(running, {
    code: 'WAITED_IN_VAIN',
    message: /could not give it its rights \(AWS does not answer\)/,
  })
  await clusters.patch('west', { type: 'merge', body: { spec: { hubAcceptsClient: false } } })
  await say('True', 'HubClusterAdminAccepted', '')
  const steps = await Array.fromAsync(acceptCluster('west', choices, deps))
  assert.deepEqual(steps.at(-1), { did: 'the hub has given west its rights' })
  // The same the second time: a hub that has not made the role is no success because somebody accepted before.
  const again = await Array.fromAsync(acceptCluster('west', choices, deps))
  assert.deepEqual(again.slice(-2), [{ did: 'west is accepted already' }, { did: 'the hub has given west its rights' }])
  await say('False', 'Error', 'AWS does not answer')
  const inVain = Array.fromAsync(acceptCluster('west', choices, deps))
  inVain.catch(() => {})
  await clock.advance('2s')
  await assert.rejects(inVain, { code: 'WAITED_IN_VAIN' })
  assert.deepEqual(log, [])
})

test('a denied cluster is out before its role goes; where nothing is on record, AWS is not asked', async () => {
  const onRecord = await scene('own', { ...fromEks, [awsRecordAnnotation]: 'ocm-hub-1:access-entry' }, true)
  await Array.fromAsync(denyCluster('west', onRecord.deps))
  assert.deepEqual(onRecord.log, ['removed while out'])
  for (const other of [await scene('own', fromEks, true), await scene('hub', { [awsRecordAnnotation]: 'r:' }, true)]) {
    await Array.fromAsync(denyCluster('west', other.deps))
    assert.deepEqual(other.log, [])
    assert.equal(await other.isIn(), false)
  }
})

test('a cluster that leaves keeps its role until its agent has nothing left to clean up', async () => {
  const { deps, clusters, log, clock } = await scene('own', { [awsRecordAnnotation]: 'ocm-hub-1:access-entry' }, true)
  await clusters.patch('west', { type: 'merge', body: { metadata: { finalizers: ['a/b'] } } })
  const addons = deps.kube.of(ManagedClusterAddOn.resource, 'west')
  await addons.create({ metadata: { name: 'hello', namespace: 'west' }, spec: {} })
  const running = Array.fromAsync(leaveHub('west', { force: false, timeoutMs: 60_000 }, deps))
  await clock.advance('3s')
  assert.deepEqual(log, ['checked'])
  await addons.delete('hello')
  await clock.advance('1s')
  assert.deepEqual(log, ['checked', 'removed while in'])
  await clusters.patch('west', { type: 'merge', body: { metadata: { finalizers: null } } })
  await clock.advance('1s')
  assert.deepEqual((await running).at(-1), { did: 'west is gone from the hub' })
})

test('who has no AWS credentials that would do has deleted nothing', async () => {
  const { deps, aws, clusters } = await scene('own', { [awsRecordAnnotation]: 'ocm-hub-1:access-entry' }, true)
  const check = async () => {
    throw new Error('no credentials')
  }
  const leaving = leaveHub('west', { force: false, timeoutMs: 1_000 }, { ...deps, aws: { ...aws, check } })
  await assert.rejects(Array.fromAsync(leaving), /no credentials/)
  assert.equal((await clusters.get('west')).metadata.deletionTimestamp, undefined)
})

test('a cluster is shut out, with all that its agents ask for, also where its role cannot be removed', async () => {
  const { deps, aws, isIn } = await scene('own', { ...fromEks, [awsRecordAnnotation]: 'ocm-hub-1:access-entry' }, true)
  const csrs = deps.kube.of(certificateSigningRequests)
  const metadata = { name: 'west-1', labels: { [labels.clusterName]: 'west' } }
  await csrs.create({ metadata, spec: { request: '', signerName: 'kubernetes.io/kube-apiserver-client' } })
  const revoke = async function* (): AsyncGenerator<Step> {
    yield { doing: 'trying' }
    throw new Error('no credentials')
  }
  await assert.rejects(Array.fromAsync(denyCluster('west', { ...deps, aws: { ...aws, revoke } })), /no credentials/)
  assert.equal(await isIn(), false)
  assert.equal(decisionOn(await csrs.get('west-1')), 'denied')
})
