/** Who shows nothing is anonymous, and may do what roles grant to that user. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { Secret } from '../../../src/core/secret.ts'
import { isForbidden, isUnauthorized } from '../../../src/kube/failures.ts'
import { configMaps, roleBindings, roles } from '../../../src/kube/kinds.ts'
import { aConfigMap, aRole, aRoleBinding, aUser } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { refusal } from '../../support/self-review.ts'

const mine = { fieldManager: 'test', force: true }

describe('anonymous requests', needsControlPlane, () => {
  test('E15: anybody may ask for health and version', async (t) => {
    const plane = await startControlPlane(t)
    const stranger = kubeClient(t, plane.connection({}))
    for (const path of ['/healthz', '/livez', '/readyz']) assert.equal(await stranger.request({ path }), 'ok')
    assert.ok(await stranger.request({ path: '/version' }))
  })

  test('E15: anonymous is a user like others: forbidden what no role grants it', async (t) => {
    const plane = await startControlPlane(t)
    const stranger = kubeClient(t, plane.connection({}))
    assert.equal(
      await refusal(stranger.of(configMaps, 'default').get('x')),
      'configmaps "x" is forbidden: User "system:anonymous" cannot get resource "configmaps" in API group "" in the namespace "default"',
    )
  })

  test('E15: anonymous may do what a role grants it, and no more', async (t) => {
    const plane = await startControlPlane(t)
    const admin = kubeClient(t, plane.connection())
    const namespace = await freshNamespace(t, admin)
    const stranger = kubeClient(t, plane.connection({})).of(configMaps, namespace)
    for (const name of ['shown', 'hidden']) await admin.of(configMaps, namespace).create(aConfigMap(name))
    await assert.rejects(stranger.get('shown'), isForbidden)
    const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['shown'], verbs: ['get'] }
    await admin.of(roles, namespace).create(aRole('reader', rule))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser('system:anonymous')))
    await eventually('it may read', () => stranger.get('shown').catch(() => undefined))
    await assert.rejects(stranger.get('hidden'), isForbidden)
    await assert.rejects(stranger.list(), isForbidden)
  })

  test('E15: anonymous reads kube-public/cluster-info, by the role that kubeadm makes', async (t) => {
    const plane = await startControlPlane(t, { controllers: false })
    const admin = kubeClient(t, plane.connection())
    const [name, namespace] = ['kubeadm:bootstrap-signer-clusterinfo', 'kube-public']
    await eventually('there is the namespace', () =>
      admin
        .of(configMaps, namespace)
        .apply(aConfigMap('cluster-info'), mine)
        .catch(() => undefined),
    )
    const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }
    await admin.of(roles, namespace).apply(aRole(name, rule), mine)
    await admin.of(roleBindings, namespace).apply(aRoleBinding(name, aUser('system:anonymous')), mine)
    const stranger = kubeClient(t, plane.connection({})).of(configMaps, namespace)
    const read = await eventually('it may read', () => stranger.get('cluster-info').catch(() => undefined))
    assert.equal(read.metadata.name, 'cluster-info')
    await assert.rejects(stranger.list(), isForbidden)
  })

  test('E15: a bad token is refused where no token would have been anonymous', async (t) => {
    const plane = await startControlPlane(t)
    const liar = kubeClient(t, plane.connection({ authorization: Secret.of('no-such-token') }))
    await assert.rejects(liar.request({ path: '/healthz' }), isUnauthorized)
  })

  test('E15: a header that is no bearer token counts as none', async (t) => {
    const plane = await startControlPlane(t)
    const basic = kubeClient(t, plane.connection({ authorization: Secret.of('jane:secret'), scheme: 'Basic' }))
    assert.equal(await basic.request({ path: '/healthz' }), 'ok')
  })

  test('E15: anonymous can be confined to paths', async (t) => {
    const plane = await startControlPlane(t, {
      controllers: false,
      authenticationConfig: stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthenticationConfiguration',
        anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }] },
      }),
    })
    const stranger = kubeClient(t, plane.connection({}))
    assert.equal(await stranger.request({ path: '/livez' }), 'ok')
    assert.equal(await stranger.request({ path: '/readyz' }), 'ok')
    await assert.rejects(stranger.request({ path: '/healthz' }), isUnauthorized)
    await assert.rejects(stranger.request({ path: '/version' }), isUnauthorized)
  })
})
