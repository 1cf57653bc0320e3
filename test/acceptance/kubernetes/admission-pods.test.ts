/** What the server itself adds to pods and nodes, and which pods it refuses. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { nodes, pods, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace, untilPodsCanBeMade } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'

const container = (name: string, volumeMounts?: object[]) =>
  ({ name, image: 'none', ...(volumeMounts && { volumeMounts }) }) as PodSpec['containers'][number]

const aPod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name },
  spec: { containers: [container('c')], ...spec },
})

const mirror = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } },
})

async function start(t: TestContext) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  const namespace = await freshNamespace(t, admin)
  await untilPodsCanBeMade(admin, namespace)
  const create = (pod: Pod) => admin.of(pods, namespace).create(pod)
  const specOf = async (pod: Pod) => (await create(pod)).spec
  const whyForbidden = async (pod: Pod) => {
    const { code, reason, message } = await refusalOf(create(pod))
    assert.deepEqual([code, reason], [403, 'Forbidden'], message)
    const start = `pods "${pod.metadata?.name}" is forbidden: `
    assert.ok(message.startsWith(start), message)
    return message.slice(start.length)
  }
  return { admin, namespace, specOf, whyForbidden }
}

const anAccount = (admin: Kube, namespace: string, name: string, more: object) =>
  admin.of(serviceAccounts, namespace).create({ metadata: { name }, ...more })

const tokenMount = '/var/run/secrets/kubernetes.io/serviceaccount'

describe('the service account of a pod', needsControlPlane, () => {
  test('E17: is the default one where none is named', async (t) => {
    const { specOf } = await start(t)
    const spec = await specOf(aPod('p'))
    assert.deepEqual([spec?.serviceAccountName, spec?.serviceAccount], ['default', 'default'])
  })

  test('E17: must exist', async (t) => {
    const { namespace, whyForbidden } = await start(t)
    const gone = `error looking up service account ${namespace}/gone: serviceaccount "gone" not found`
    assert.equal(await whyForbidden(aPod('p', { serviceAccountName: 'gone' })), gone)
    assert.equal(await whyForbidden(aPod('p', { serviceAccount: 'gone' })), gone)
    assert.equal(await whyForbidden(aPod('Not a name', { serviceAccountName: 'gone' })), gone)
  })

  test('E17: is mounted in every container that mounts nothing else there', async (t) => {
    const { specOf } = await start(t)
    const own = [{ name: 'own', mountPath: tokenMount }]
    const spec = await specOf(
      aPod('p', {
        volumes: [{ name: 'own', emptyDir: {} }],
        initContainers: [container('init')],
        containers: [container('c', own), container('d')],
      }),
    )
    const [, volume] = spec?.volumes ?? []
    assert.match(volume?.name ?? '', /^kube-api-access-[a-z0-9]{5}$/)
    assert.deepEqual(volume?.projected, {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    })
    const added = [{ name: volume?.name, readOnly: true, mountPath: tokenMount }]
    assert.deepEqual(
      [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name, volumeMounts }) => [
        name,
        volumeMounts,
      ]),
      [
        ['init', added],
        ['c', own],
        ['d', added],
      ],
    )
  })

  test('E17: is not mounted where the pod or the account says no; the pod has the last word', async (t) => {
    const { admin, namespace, specOf } = await start(t)
    await anAccount(admin, namespace, 'quiet', { automountServiceAccountToken: false })
    const volumesOf = async (name: string, spec: Partial<PodSpec>) => (await specOf(aPod(name, spec)))?.volumes?.length
    assert.equal(await volumesOf('p', { automountServiceAccountToken: false }), undefined)
    assert.equal(await volumesOf('q', { serviceAccountName: 'quiet' }), undefined)
    assert.equal(await volumesOf('r', { serviceAccountName: 'quiet', automountServiceAccountToken: true }), 1)
  })

  test('E17: gives its pull secrets to a pod that has none', async (t) => {
    const { admin, namespace, specOf } = await start(t)
    await anAccount(admin, namespace, 'puller', { imagePullSecrets: [{ name: 'pull' }] })
    const serviceAccountName = 'puller'
    assert.deepEqual((await specOf(aPod('p', { serviceAccountName })))?.imagePullSecrets, [{ name: 'pull' }])
    const imagePullSecrets = [{ name: 'own' }]
    assert.deepEqual(
      (await specOf(aPod('q', { serviceAccountName, imagePullSecrets })))?.imagePullSecrets,
      imagePullSecrets,
    )
  })

  test('E17: is none for the mirror of a static pod, which may name no secrets either', async (t) => {
    const { specOf, whyForbidden } = await start(t)
    const nodeName = 'somewhere'
    const spec = await specOf(mirror(aPod('p', { nodeName })))
    assert.deepEqual([spec?.serviceAccountName, spec?.volumes], [undefined, undefined])
    assert.equal(
      await whyForbidden(mirror(aPod('q', { nodeName, serviceAccountName: 'default' }))),
      'a mirror pod may not reference service accounts',
    )
    const volumes = [{ name: 'v', secret: { secretName: 's' } }]
    assert.equal(await whyForbidden(mirror(aPod('q', { nodeName, volumes }))), 'a mirror pod may not reference secrets')
  })
})

describe('pods and nodes', needsControlPlane, () => {
  test('E17: a pod has a priority, which the name of a class decides', async (t) => {
    const { specOf, whyForbidden } = await start(t)
    const priorityOf = async (name: string, spec: Partial<PodSpec> = {}) => {
      const { priority, preemptionPolicy } = (await specOf(aPod(name, spec))) ?? {}
      return [priority, preemptionPolicy]
    }
    const lower = 'PreemptLowerPriority'
    assert.deepEqual(await priorityOf('p'), [0, lower])
    assert.deepEqual(await priorityOf('q', { priorityClassName: 'system-node-critical' }), [2_000_001_000, lower])
    assert.deepEqual(await priorityOf('r', { priorityClassName: 'system-cluster-critical' }), [2_000_000_000, lower])
    assert.equal(
      await whyForbidden(aPod('s', { priorityClassName: 'gone' })),
      'no PriorityClass with name gone was found',
    )
    assert.equal(
      await whyForbidden(aPod('s', { priority: 5 })),
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    )
  })

  test('E17: a pod tolerates a node that is not ready for five minutes, unless it says otherwise', async (t) => {
    const { specOf } = await start(t)
    const tolerating = (state: string) => ({
      key: `node.kubernetes.io/${state}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })
    assert.deepEqual((await specOf(aPod('p')))?.tolerations, [tolerating('not-ready'), tolerating('unreachable')])
    const all = { operator: 'Exists' }
    assert.deepEqual((await specOf(aPod('q', { tolerations: [all] })))?.tolerations, [all])
    const short = { ...tolerating('unreachable'), tolerationSeconds: 5 }
    assert.deepEqual((await specOf(aPod('r', { tolerations: [short] })))?.tolerations, [short, tolerating('not-ready')])
  })

  test('E17: a runtime class must exist', async (t) => {
    const { whyForbidden } = await start(t)
    assert.equal(
      await whyForbidden(aPod('p', { runtimeClassName: 'gone' })),
      'pod rejected: RuntimeClass "gone" not found',
    )
  })

  test('E17: a new node is tainted until it is ready', async (t) => {
    const { admin } = await start(t)
    const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
    const create = (spec: object) =>
      admin.of(nodes).create({ metadata: { name: uniqueName('node') }, spec }, { dryRun: true })
    assert.deepEqual((await create({})).spec?.taints, [taint])
    const own = { key: 'mine', effect: 'NoExecute' }
    assert.deepEqual((await create({ taints: [own] })).spec?.taints, [own, taint])
    assert.deepEqual((await create({ taints: [taint] })).spec?.taints, [taint])
  })
})
