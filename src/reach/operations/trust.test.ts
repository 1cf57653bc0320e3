import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Step } from '../../core/step.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import { confirmTrust, readTrust, withdrawTrust } from './trust.ts'

const { signal } = new AbortController()
const [old, next] = ['AB:'.repeat(31).concat('AB'), 'CD:'.repeat(31).concat('CD')]
const ref = { name: 'cas', namespace: 'fleet' }

async function scene(spec: object, status: object = {}) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const configs = kube.of(ClusterConfig.resource, 'fleet')
  await configs.create({ metadata: { name: 'west' }, spec, status } as ClusterConfig)
  const confirm = async (fingerprint: string, timeoutMs?: number): Promise<string[]> => {
    const steps: Step[] = await Array.fromAsync(
      confirmTrust({ name: 'west', fingerprint, timeoutMs }, { kube, clock, signal }),
    )
    return steps.flatMap((step) => ('did' in step ? step.did : []))
  }
  return { clock, kube, configs, confirm }
}
const oidc = (more: object = {}) => ({ oidcAuth: { server: 'https://west', ...more } })
const pinned = { observedGeneration: 1, tls: { source: 'FirstUse', fingerprint: old } }

test('a confirmation is written as people compare it, with a wish to be looked at', async () => {
  const { confirm, configs } = await scene(oidc(), pinned)
  assert.deepEqual(await confirm(next.replaceAll(':', '').toLowerCase()), [
    'noted: the hub trusts this CA once west shows it',
  ])
  const { annotations } = (await configs.get('west')).metadata
  assert.equal(annotations?.[spokeAnnotations.trustedFingerprint], next)
  assert.ok(annotations?.[spokeAnnotations.checkRequestedAt])
})

test('what is trusted already is not confirmed again', async () => {
  const { confirm, kube } = await scene(oidc(), pinned)
  assert.deepEqual(await confirm(old), ['the hub trusts the CA of west already'])
  assert.equal(kube.count('patch'), 0)
})

test('what is no fingerprint changes nothing', async () => {
  const { confirm, kube } = await scene(oidc(), pinned)
  for (const text of ['', 'AB:CD', `${next}:AB`, `${next.slice(0, -1)}G`])
    await assert.rejects(confirm(text), { code: 'REACH_FINGERPRINT_INVALID' })
  assert.equal(kube.count('patch'), 0)
})

test('where somebody else says whom to trust, that is told', async () => {
  const elsewhere: [object, object, RegExp][] = [
    [{ kubeconfigSecretRef: ref }, {}, /its kubeconfig/],
    [oidc({ insecureSkipTLSVerify: true }), {}, /insecureSkipTLSVerify/],
    [oidc({ caSecretRef: ref }), { tls: { source: 'Secret' } }, /Secret fleet\/cas/],
    [oidc(), { tls: { source: 'Secret' } }, /Secret fleet\/west-tofu-ca/],
  ]
  for (const [spec, status, message] of elsewhere) {
    const { confirm, kube } = await scene(spec, status)
    await assert.rejects(confirm(next), { code: 'REACH_TRUST_ELSEWHERE', message })
    assert.equal(kube.count('patch'), 0)
  }
})

test('a hub that does not answer is told after the time given', async () => {
  const { confirm, clock } = await scene(oidc(), pinned)
  const confirming = assert.rejects(confirm(next, 5_000), { code: 'REACH_HUB_SILENT', message: /5 s/ })
  await clock.advance('6s')
  await confirming
})

const answers: [string, object, string | { code: string }][] = [
  [
    'took it over',
    { tls: { source: 'FirstUse', fingerprint: next }, conditions: ready('True') },
    'the hub trusts the CA of west, Ready is True',
  ],
  ['sees the old one still', { ...pinned, conditions: ready('True') }, 'west does not show that CA yet'],
  [
    'sees a third',
    { tls: { source: 'FirstUse', fingerprint: old, offeredFingerprint: 'EF' }, conditions: ready('False') },
    { code: 'REACH_OTHER_CA' },
  ],
  ['sees nobody', { ...pinned, conditions: ready('False') }, { code: 'REACH_FAILED' }],
]
for (const [what, status, expected] of answers)
  test(`the hub ${what}`, async () => {
    const { confirm, clock, configs } = await scene(oidc(), pinned)
    const confirming = confirm(next, 5_000)
    confirming.catch(() => {})
    await clock.settle()
    const { metadata } = await configs.get('west')
    const answeredCheck = metadata.annotations?.[spokeAnnotations.checkRequestedAt]
    const body = { status: { observedGeneration: metadata.generation, answeredCheck, ...status } }
    await configs.patch('west', { type: 'merge', body }, { subresource: 'status' })
    await clock.advance('1s')
    if (typeof expected === 'object') await assert.rejects(confirming, expected)
    else assert.equal((await confirming).slice(1).join(', '), expected)
  })

test('a confirmation is taken back', async () => {
  const { kube, clock, confirm, configs } = await scene(oidc(), pinned)
  const withdraw = async () =>
    (await Array.fromAsync(withdrawTrust({ name: 'west' }, { kube, clock, signal }))).at(-1) as { did: string }
  assert.match((await withdraw()).did, /^no CA of west/)
  await confirm(next)
  assert.match((await withdraw()).did, /taken back/)
  assert.equal((await configs.get('west')).metadata.annotations?.[spokeAnnotations.trustedFingerprint], undefined)
})

test('what stands is read without any change', async () => {
  const { kube } = await scene(oidc(), { ...pinned, tls: { ...pinned.tls, offeredFingerprint: next } })
  assert.deepEqual(await readTrust(kube, 'west', { signal }), {
    ...{ cluster: 'west', namespace: 'fleet', server: 'https://west' },
    ...{ ready: 'Unknown', source: 'FirstUse', fingerprint: old, offered: next },
  })
  await assert.rejects(readTrust(kube, 'east', { signal }), { code: 'REACH_UNKNOWN' })
})

function ready(status: 'True' | 'False') {
  return [{ type: 'Ready', status, reason: 'X', message: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' }]
}
