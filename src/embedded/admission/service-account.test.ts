import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PodSpec, ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { randomFrom } from '../../core/random.ts'
import type { ApiObject } from '../objects.ts'
import { whySecretsNotAllowed } from './pod-secrets.ts'
import { serviceAccountStep } from './service-account.ts'
import { aWrite, kinds, MemoryStore, outcome } from './testing/scene.ts'

const container = { name: 'c', image: 'i' }
const aStore = (...accounts: object[]) => {
  const store = new MemoryStore()
  for (const account of accounts)
    store.put('serviceaccounts', { metadata: { name: 'default', namespace: 'home' }, ...account })
  return store
}

function start(store: MemoryStore) {
  const clock = new FakeClock()
  const step = serviceAccountStep({ store, clock, random: randomFrom(() => 0) })
  const mutate = (spec: Partial<PodSpec>, metadata: object = {}) => {
    const whole = 'containers' in spec ? spec : { containers: [container], ...spec }
    const object = { metadata: { name: 'p', ...metadata }, spec: whole }
    const write = aWrite(kinds.pods, { name: 'p', object })
    return step.mutate?.({ ...write, object: write.object as ApiObject })
  }
  const specOf = async (spec: Partial<PodSpec> = {}) => (await mutate(spec))?.['spec'] as PodSpec
  return { clock, step, mutate, specOf }
}

describe('the account of a pod', () => {
  test('is the default one, with its token and its pull secrets', async () => {
    const { specOf } = start(aStore({ imagePullSecrets: [{ name: 'pull' }] }))
    const spec = await specOf()
    assert.deepEqual([spec.serviceAccountName, spec.serviceAccount], ['default', 'default'])
    assert.deepEqual(spec.imagePullSecrets, [{ name: 'pull' }])
    assert.equal(spec.volumes?.[0]?.name, 'kube-api-access-bbbbb')
    assert.deepEqual(spec.containers[0]?.volumeMounts, [
      { name: 'kube-api-access-bbbbb', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ])
  })

  test('leaves a pod that has all of it alone, and gives a new container the volume that is there', async () => {
    const { specOf, mutate } = start(aStore({}))
    const spec = await specOf()
    assert.equal((await mutate(spec))?.['spec'], spec)
    const sidecar = { name: 'd', image: 'i' }
    const wider = await specOf({ ...spec, containers: [...spec.containers, sidecar] })
    assert.equal(wider.volumes?.length, 1)
    assert.equal(wider.containers[1]?.volumeMounts?.[0]?.name, spec.volumes?.[0]?.name)
  })

  test('must be there', async () => {
    const { mutate } = start(aStore({}))
    assert.equal(
      await outcome(mutate({ serviceAccountName: 'gone' })),
      '403 Forbidden: pods "p" is forbidden: error looking up service account home/gone: serviceaccount "gone" not found',
    )
  })

  test('is waited for a second where it is the default one, which a controller makes', async () => {
    const store = aStore()
    const { clock, specOf } = start(store)
    const waiting = specOf()
    await clock.advance(250)
    store.put('serviceaccounts', { metadata: { name: 'default', namespace: 'home' } })
    await clock.advance(100)
    assert.equal((await waiting).serviceAccountName, 'default')

    const late = start(aStore())
    const refused = outcome(late.mutate({}))
    await late.clock.advance('1s')
    assert.match(await refused, /serviceaccount "default" not found$/)
  })

  test('gives no token where the pod or, for a pod that says nothing, the account says no', async () => {
    const { specOf } = start(aStore({ automountServiceAccountToken: false }))
    assert.equal((await specOf()).volumes, undefined)
    assert.equal((await specOf({ automountServiceAccountToken: true })).volumes?.length, 1)
    assert.equal((await start(aStore({})).specOf({ automountServiceAccountToken: false })).volumes, undefined)
  })

  test('is none for a mirror pod, which names nothing secret', async () => {
    const { mutate, step } = start(aStore())
    const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } }
    const told = (spec: Partial<PodSpec>) => outcome(mutate(spec, mirror))
    assert.equal(await told({}), 'admitted')
    assert.match(await told({ serviceAccountName: 'default' }), /may not reference service accounts$/)
    assert.match(await told({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }), /may not reference secrets$/)
    const sources = [{ serviceAccountToken: { path: 'p' } }]
    assert.match(
      await told({ volumes: [{ name: 'v', projected: { sources } }] }),
      /may not use ServiceAccountToken volume projections$/,
    )
    assert.equal(step.concerns?.(aWrite(kinds.pods, { subresource: 'status' })), false)
  })
})

test('an account may list the secrets that its pods may use', () => {
  const account: ServiceAccount = {
    metadata: { name: 'strict' },
    secrets: [{ name: 'mine' }],
    imagePullSecrets: [{ name: 'pull' }],
  }
  const why = (spec: Partial<PodSpec>) => whySecretsNotAllowed({ containers: [container], ...spec }, account)
  const because = 'is not allowed because service account strict does not reference that'
  const env = [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }]
  const envFrom = [{ secretRef: { name: 'other' } }]
  assert.equal(why({ volumes: [{ name: 'v', secret: { secretName: 'mine' } }] }), undefined)
  assert.equal(
    why({ volumes: [{ name: 'v', secret: { secretName: 'other' } }] }),
    `volume with secret.secretName="other" ${because} secret`,
  )
  assert.equal(
    why({ containers: [{ ...container, env }] }),
    `container c with envVar E referencing secret.secretName="other" ${because} secret`,
  )
  assert.equal(
    why({ initContainers: [{ ...container, envFrom }] }),
    `init container c with envFrom referencing secret.secretName="other" ${because} secret`,
  )
  assert.equal(
    why({ imagePullSecrets: [{ name: 'pull' }, { name: 'other' }] }),
    `imagePullSecrets[1].name="other" ${because} imagePullSecret`,
  )
})
