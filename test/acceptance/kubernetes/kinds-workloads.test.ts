/** apps/v1: deployments, replica sets and daemon sets, as far as the API goes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.d.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aDaemonSet, aDeployment, aReplicaSet, daemonSets, replicaSets } from '../../support/kind-samples.ts'
import { kindScene, pathOf, refusal, whyInvalid } from '../../support/kind-scene.ts'

const dryRun = { dryRun: true }
const templateSpec = {
  containers: [
    {
      name: 'main',
      image: 'example.com/app:1',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'IfNotPresent',
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
}
const labels = { app: 'sample' }
const mismatch = 'Invalid value: {"app":"sample"}: `selector` does not match template `labels`'
const restart = 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'

describe('deployments', needsControlPlane, () => {
  test('E13: a Deployment is filled in', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const created = await kube.of(deployments, namespace).create({ ...aDeployment('web'), status: { replicas: 9 } })
    assert.deepEqual(created.spec, {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: templateSpec },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    })
    assert.deepEqual(created.status, {})
  })

  test('E13: a Deployment selects the pods that it makes, which run for good', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (spec: object) =>
      whyInvalid(
        kube
          .of(deployments, namespace)
          .create({ metadata: { name: 'bad' }, spec: { ...aDeployment('').spec, ...spec } as DeploymentSpec }, dryRun),
      )
    assert.equal(
      await why({ selector: undefined }),
      `[spec.selector: Required value, spec.template.metadata.labels: ${mismatch}]`,
    )
    assert.equal(
      await why({ selector: {} }),
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
    )
    assert.equal(
      await why({ selector: { matchLabels: { app: 'other' } } }),
      `spec.template.metadata.labels: ${mismatch}`,
    )
    const template = {
      metadata: { labels },
      spec: { ...templateSpec, restartPolicy: 'Never', activeDeadlineSeconds: 1 },
    }
    assert.equal(
      await why({ template }),
      `[${restart}, spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported]`,
    )
    assert.equal(
      await why({ template: { metadata: { labels }, spec: { containers: [{ name: 'main' }] } } }),
      'spec.template.spec.containers[0].image: Required value',
    )
  })

  test('E13: a Deployment counts from zero', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const create = (spec: object) =>
      kube
        .of(deployments, namespace)
        .create({ metadata: { name: 'bad' }, spec: { ...aDeployment('').spec, ...spec } as DeploymentSpec }, dryRun)
    const negative = 'Invalid value: -1: must be greater than or equal to 0'
    assert.equal(await whyInvalid(create({ replicas: -1 })), `spec.replicas: ${negative}`)
    assert.equal(
      await whyInvalid(create({ revisionHistoryLimit: -1, progressDeadlineSeconds: 3, minReadySeconds: 3 })),
      `[spec.revisionHistoryLimit: ${negative}, spec.progressDeadlineSeconds: Invalid value: 3: must be greater than minReadySeconds]`,
    )
  })

  test('E13: a Deployment has a strategy that gets somewhere', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const create = (strategy: DeploymentSpec['strategy'] & object) =>
      kube
        .of(deployments, namespace)
        .create({ metadata: { name: 'bad' }, spec: { ...aDeployment('').spec, strategy } as DeploymentSpec }, dryRun)
    assert.equal(
      await whyInvalid(create({ type: 'Odd' })),
      'spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    )
    assert.equal(
      await whyInvalid(create({ type: 'Recreate', rollingUpdate: { maxSurge: 1 } })),
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    )
    assert.equal(
      await whyInvalid(create({ rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } })),
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    )
    assert.equal(
      await whyInvalid(create({ rollingUpdate: { maxSurge: 'odd', maxUnavailable: '101%' } })),
      "[spec.strategy.rollingUpdate.maxSurge: Invalid value: \"odd\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%'), spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%]",
    )
    assert.deepEqual((await create({ type: 'Recreate' })).spec?.strategy, { type: 'Recreate' })
  })

  test('E13: the selector of a Deployment stays', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(deployments, namespace).create(aDeployment('web'))
    const other = { app: 'other' }
    const body = { spec: { selector: { matchLabels: other }, template: { metadata: { labels: other } } } }
    assert.equal(
      await whyInvalid(kube.of(deployments, namespace).patch('web', { type: 'merge', body })),
      'spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable',
    )
  })

  test('E13: the status of a Deployment touches neither spec nor labels', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(deployments, namespace)
    const created = await collection.create(aDeployment('web'))
    const patch = (body: object) => collection.patch('web', { type: 'merge', body }, { subresource: 'status' })
    const status = {
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      conditions: [{ type: 'Odd', status: 'True' }],
    }
    const reported = await patch({ metadata: { labels: { a: 'b' } }, spec: { replicas: 7 }, status })
    assert.deepEqual(
      [reported.spec, reported.metadata.labels, reported.metadata.generation],
      [created.spec, undefined, 1],
    )
    const { replicas, readyReplicas, availableReplicas, conditions } = reported.status ?? {}
    assert.deepEqual([replicas, readyReplicas, availableReplicas], [3, 2, 1])
    assert.deepEqual(conditions, [{ type: 'Odd', status: 'True', lastUpdateTime: null, lastTransitionTime: null }])
  })

  test('E13: the counts in the status of a Deployment go together', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(deployments, namespace).create(aDeployment('web'))
    const put = (status: object) =>
      kube.of(deployments, namespace).update({ ...aDeployment('web'), status }, { subresource: 'status' })
    assert.equal(
      await whyInvalid(put({ replicas: 1, readyReplicas: 2, availableReplicas: -1 })),
      '[status.availableReplicas: Invalid value: -1: must be greater than or equal to 0, status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas]',
    )
    assert.equal(
      await whyInvalid(put({ replicas: 2, readyReplicas: 1, availableReplicas: 2 })),
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    )
  })

  test('E13: a Deployment is scaled through scale', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { metadata } = await kube.of(deployments, namespace).create(aDeployment('web'))
    const path = pathOf(deployments, { namespace, name: 'web', subresource: 'scale' })
    interface Scale {
      apiVersion: string
      kind: string
      metadata: { name: string; namespace: string; uid: string }
      spec: { replicas?: number }
      status: { replicas: number; selector: string }
    }
    const scale = await kube.request<Scale>({ path })
    assert.deepEqual(
      [scale.apiVersion, scale.kind, scale.metadata.name, scale.metadata.uid, scale.spec, scale.status.selector],
      ['autoscaling/v1', 'Scale', 'web', metadata.uid, {}, 'app=sample'],
    )
    const put = (replicas: number) =>
      kube.request<Scale>({
        method: 'PUT',
        path,
        query: { dryRun: 'All' },
        body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web', namespace }, spec: { replicas } },
      })
    assert.deepEqual((await put(4)).spec, { replicas: 4 })
    const refused = await refusal(put(-1))
    assert.deepEqual(
      [refused.code, refused.message],
      [422, 'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    )
    const contentType = 'application/merge-patch+json'
    await kube.request({ method: 'PATCH', path, contentType, body: { spec: { replicas: 0 }, status: { replicas: 8 } } })
    const after = await kube.of(deployments, namespace).get('web')
    assert.deepEqual([after.spec?.replicas, after.metadata.generation], [0, 1])
  })
})

describe('replica sets', needsControlPlane, () => {
  test('E13: a ReplicaSet is filled in', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { spec, status } = await kube.of(replicaSets, namespace).create(aReplicaSet('web'))
    assert.deepEqual(spec, {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: templateSpec },
    })
    assert.deepEqual(status, { replicas: 0 })
    const { selector, template } = aReplicaSet('').spec ?? {}
    const one = await kube
      .of(replicaSets, namespace)
      .create({ metadata: { name: 'one' }, spec: { ...(template && { template }), selector: selector ?? {} } }, dryRun)
    assert.equal(one.spec?.replicas, 1)
  })

  test('E13: a ReplicaSet selects the pods that it makes, and keeps its selector', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(replicaSets, namespace)
    const { spec } = aReplicaSet('')
    const selector = { matchLabels: { app: 'other' } }
    assert.equal(
      await whyInvalid(collection.create({ metadata: { name: 'bad' }, spec: { ...spec, selector } }, dryRun)),
      `spec.template.metadata.labels: ${mismatch}`,
    )
    await collection.create(aReplicaSet('web'))
    const body = { spec: { selector, template: { metadata: { labels: { app: 'other' } } } } }
    assert.equal(
      await whyInvalid(collection.patch('web', { type: 'merge', body })),
      'spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable',
    )
  })

  test('E13: a ReplicaSet has a scale and a status of its own', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(replicaSets, namespace)
    const created = await collection.create(aReplicaSet('web'))
    const path = pathOf(replicaSets, { namespace, name: 'web', subresource: 'scale' })
    assert.equal((await kube.request<{ status: { selector: string } }>({ path })).status.selector, 'app=sample')
    const put = (status: { replicas: number; readyReplicas?: number }) =>
      collection.update({ ...aReplicaSet('web'), spec: { selector: {} }, status }, { subresource: 'status' })
    assert.deepEqual((await put({ replicas: 2, readyReplicas: 1 })).spec, created.spec)
    assert.equal(
      await whyInvalid(put({ replicas: 1, readyReplicas: 2 })),
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    )
  })
})

describe('daemon sets', needsControlPlane, () => {
  const counter = 'deprecated.daemonset.template.generation'

  test('E13: a DaemonSet is filled in', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { metadata, spec, status } = await kube.of(daemonSets, namespace).create(aDaemonSet('web'))
    assert.deepEqual(spec, {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...templateSpec, nodeSelector: { 'no-such': 'node' } } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    })
    assert.deepEqual(status, {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    })
    assert.deepEqual(metadata.annotations, { [counter]: '1' })
  })

  test('E13: a DaemonSet counts the changes of its template', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(daemonSets, namespace).create(aDaemonSet('web'))
    const after = async (spec: object) => {
      const patched = await kube.of(daemonSets, namespace).patch('web', { type: 'merge', body: { spec } })
      return [patched.metadata.generation, patched.metadata.annotations?.[counter]]
    }
    assert.deepEqual(await after({ minReadySeconds: 1 }), [2, '1'])
    assert.deepEqual(await after({ template: { metadata: { annotations: { a: 'b' } } } }), [3, '2'])
  })

  test('E13: a DaemonSet selects the pods that it makes, and has a strategy', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (spec: object) =>
      whyInvalid(
        kube
          .of(daemonSets, namespace)
          .create(
            { metadata: { name: 'bad' }, spec: { selector: {}, template: {}, ...aDaemonSet('').spec, ...spec } },
            dryRun,
          ),
      )
    assert.equal(
      await why({ selector: { matchLabels: { app: 'other' } } }),
      `spec.template.metadata.labels: ${mismatch}`,
    )
    assert.equal(
      await why({ selector: {} }),
      'spec.selector: Invalid value: {}: empty selector is invalid for daemonset',
    )
    assert.equal(
      await why({ updateStrategy: { type: 'Odd' } }),
      'spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    )
    assert.equal(
      await why({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    )
    assert.equal(
      await why({ updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    )
  })

  test('E13: the status of a DaemonSet touches no spec, and counts from zero', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const created = await kube.of(daemonSets, namespace).create(aDaemonSet('web'))
    const put = (numberReady: number) => {
      const status = { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady }
      return kube
        .of(daemonSets, namespace)
        .update({ metadata: { name: 'web' }, spec: { selector: {}, template: {} }, status }, { subresource: 'status' })
    }
    const reported = await put(1)
    assert.deepEqual([reported.spec, reported.status?.numberReady], [created.spec, 1])
    assert.equal(await whyInvalid(put(-1)), 'status.numberReady: Invalid value: -1: must be greater than or equal to 0')
  })
})
