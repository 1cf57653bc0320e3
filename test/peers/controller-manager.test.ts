/** A real kube-controller-manager does its work on an embedded control plane whose own controllers are off. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Secret } from '../../src/core/secret.ts'
import { timeText } from '../../src/embedded/time-text.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  namespaces,
  secrets,
  serviceAccounts,
} from '../../src/kube/kinds.ts'
import type { ObjectMeta } from '../../src/kube/objects.ts'
import { createRequest, generateKey, keyMatches, readCertificate } from '../../src/pki/index.ts'
import { aClusterRole, aClusterRoleBinding, aUser, uniqueName } from '../support/builders.ts'
import { launchEmbedded } from '../support/control-plane/embedded.ts'
import type { OwnControlPlane } from '../support/control-plane.ts'
import type { ControllerManager } from '../support/controller-manager.ts'
import { complaintsIn, startControllerManager } from '../support/controller-manager.ts'
import { define } from '../support/custom-resources.ts'
import { heldBy, hold, ownedBy } from '../support/deletion-scene.ts'
import { eventually } from '../support/eventually.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { suiteScope } from '../support/suite-scope.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'
import { whoAmI } from '../support/who-am-i.ts'

const controllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'certificatesigningrequest-signing-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'token-cleaner-controller',
  'bootstrap-signer-controller',
]
const cleaner = 'certificatesigningrequest-cleaner-controller'
/** Controllers begin 2 to 4 s after they listen: without that the cleaner looks before it has heard of anything. */
const unhurried = { 'controller-start-interval': '2s' }
/** The life of a manager that only has to look once: what it looks at is to arrive, and then it is to look. */
const aLifeMs = 10_000
const inJson = { 'kube-api-content-type': 'application/json' }
const clientSigner = 'kubernetes.io/kube-apiserver-client'
const hourMs = 3_600_000
/** It looks for new kinds every half minute. */
const patiently = { withinMs: 60_000 }

/** An embedded control plane without controllers of its own, and somebody with all rights on it. */
async function aPlane(t: TestScope): Promise<{ plane: OwnControlPlane; admin: KubeClient }> {
  const plane = await launchEmbedded({ controllers: false })
  teardown(t, () => plane.stop())
  return { plane, admin: kubeClient(t, plane.connection()) }
}

const gone = (admin: KubeClient, namespace: string, name: string) =>
  eventually(`${name} is gone`, async () => (await admin.of(configMaps, namespace).find(name)) === undefined, patiently)

const aMap = (admin: KubeClient, namespace: string, metadata: ObjectMeta = {}) =>
  admin.of(configMaps, namespace).create({ metadata: { name: uniqueName('map'), ...metadata } })

async function terminatesWithContent(t: TestScope, admin: KubeClient): Promise<void> {
  const name = await freshNamespace(t, admin)
  const map = await aMap(admin, name, { finalizers: [hold] })
  await admin.of(secrets, name).create({ metadata: { name: 'inside' } })
  await admin.of(namespaces).delete(name)
  const waiting = await eventually('it says what it waits for', async () => {
    const { status } = await admin.of(namespaces).get(name)
    return status?.conditions?.find(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True')
  })
  assert.equal(
    waiting.message,
    `Some content in the namespace has finalizers remaining: ${hold} in 1 resource instances`,
  )
  await admin.of(configMaps, name).patch(map.metadata.name, { type: 'merge', body: heldBy() })
  await eventually(
    'the namespace is gone',
    async () => (await admin.of(namespaces).find(name)) === undefined,
    patiently,
  )
}

async function comesWithItsOwn(t: TestScope, { plane, admin }: Awaited<ReturnType<typeof aPlane>>): Promise<void> {
  const namespace = await freshNamespace(t, admin)
  await eventually('it has an account', () => admin.of(serviceAccounts, namespace).find('default'))
  const { data } = await eventually('it has the authority', () =>
    admin.of(configMaps, namespace).find('kube-root-ca.crt'),
  )
  assert.equal(data?.['ca.crt']?.trim(), plane.caPem.trim())
}

async function collectsInTheBackground(t: TestScope, admin: KubeClient): Promise<void> {
  const namespace = await freshNamespace(t, admin)
  const owner = await aMap(admin, namespace)
  const child = await aMap(admin, namespace, { ownerReferences: [ownedBy(owner)] })
  const grandchild = await aMap(admin, namespace, { ownerReferences: [ownedBy(child)] })
  await admin.of(configMaps, namespace).delete(owner.metadata.name, { propagationPolicy: 'Background' })
  for (const { metadata } of [owner, child, grandchild]) await gone(admin, namespace, metadata.name)
}

interface Wanted {
  signerName?: string
  expirationSeconds?: number
  subject?: { commonName: string; organizations?: string[] }
  usages?: string[]
}

/** Asks for a certificate; resolves to the request's name. */
async function submit(as: KubeClient, keyPem: Secret, wanted: Wanted = {}): Promise<string> {
  const { subject = { commonName: 'jane' }, signerName = clientSigner, usages = ['client auth'], ...more } = wanted
  const request = Buffer.from(await createRequest({ keyPem, subject })).toString('base64')
  const name = uniqueName('request')
  await as.of(certificateSigningRequests).create({ metadata: { name }, spec: { request, signerName, usages, ...more } })
  return name
}

async function decide(admin: KubeClient, name: string, type: 'Approved' | 'Denied', at?: Date): Promise<void> {
  const csr = await admin.of(certificateSigningRequests).get(name)
  const when = at && { lastUpdateTime: timeText(at) }
  const condition = { type, status: 'True', reason: 'Test', message: 'by a test', ...when }
  const status = { ...csr.status, conditions: [condition] }
  await admin.of(certificateSigningRequests).update({ ...csr, status }, { subresource: 'approval' })
}

const signed = (admin: KubeClient, name: string) =>
  eventually('it is signed', async () => {
    const { status } = await admin.of(certificateSigningRequests).get(name)
    return status?.certificate && Buffer.from(status.certificate, 'base64').toString()
  })

describe('a kube-controller-manager on the embedded control plane', () => {
  const suite = suiteScope()
  let scene: Awaited<ReturnType<typeof aPlane>>
  let manager: ControllerManager

  before(async () => {
    scene = await aPlane(suite)
    manager = await startControllerManager(suite, scene.plane, controllers, inJson)
  })

  describe('does the work of', { concurrency: true }, () => {
    test('its namespace controller: content goes, and what is held is waited for', (t) =>
      terminatesWithContent(t, scene.admin))

    test('its garbage collector: dependents follow in the background', (t) => collectsInTheBackground(t, scene.admin))

    test('its garbage collector: a foreground deletion waits for those that block it', async (t) => {
      const { admin } = scene
      const namespace = await freshNamespace(t, admin)
      const owner = await aMap(admin, namespace)
      const references = [ownedBy(owner, { blockOwnerDeletion: true })]
      const child = await aMap(admin, namespace, { ownerReferences: references, finalizers: [hold] })
      const maps = admin.of(configMaps, namespace)
      await maps.delete(owner.metadata.name, { propagationPolicy: 'Foreground' })
      await eventually('the child is being deleted', async () => {
        return (await maps.get(child.metadata.name)).metadata.deletionTimestamp
      })
      assert.deepEqual((await maps.get(owner.metadata.name)).metadata.finalizers, ['foregroundDeletion'])
      await maps.patch(child.metadata.name, { type: 'merge', body: heldBy() })
      for (const { metadata } of [child, owner]) await gone(admin, namespace, metadata.name)
    })

    test('its garbage collector: orphans stay and are nobody’s', async (t) => {
      const { admin } = scene
      const namespace = await freshNamespace(t, admin)
      const [owner, other] = [await aMap(admin, namespace), await aMap(admin, namespace)]
      const alone = await aMap(admin, namespace, { ownerReferences: [ownedBy(owner)] })
      const shared = await aMap(admin, namespace, { ownerReferences: [ownedBy(owner), ownedBy(other)] })
      const maps = admin.of(configMaps, namespace)
      await maps.delete(owner.metadata.name, { propagationPolicy: 'Orphan' })
      await gone(admin, namespace, owner.metadata.name)
      assert.equal((await maps.get(alone.metadata.name)).metadata.ownerReferences, undefined)
      assert.deepEqual((await maps.get(shared.metadata.name)).metadata.ownerReferences, [ownedBy(other)])
    })

    test('its garbage collector: custom kinds that came after it own and are owned', async (t) => {
      const { admin } = scene
      const namespace = await freshNamespace(t, admin)
      // A collector complains of a kind that goes, until it looks for kinds again.
      const widgets = admin.of((await define(suite, admin)).of(), namespace)
      const owner = await widgets.create({ metadata: { name: 'owner' } })
      const map = await aMap(admin, namespace, { ownerReferences: [ownedBy(owner)] })
      await widgets.create({ metadata: { name: 'owned', ownerReferences: [ownedBy(map)] } })
      await widgets.delete('owner')
      await gone(admin, namespace, map.metadata.name)
      await eventually('the widget is gone', async () => !(await widgets.find('owned')), patiently)
    })

    test('its service account and root CA controllers: a namespace comes with both', (t) => comesWithItsOwn(t, scene))

    test('its signer: what is approved lives as long as was asked, and what is denied is not signed', async (t) => {
      const { admin, plane } = scene
      const { keyPem } = generateKey()
      const denied = await submit(admin, keyPem)
      await decide(admin, denied, 'Denied')
      const subject = { commonName: 'jane', organizations: ['team'] }
      const name = await submit(admin, keyPem, { subject, expirationSeconds: 3_600 })
      await decide(admin, name, 'Approved')
      const certPem = await signed(admin, name)
      const { notBefore, notAfter } = readCertificate(certPem)
      assert.equal(notAfter.getTime() - notBefore.getTime(), hourMs + 5 * 60_000)
      assert.ok(keyMatches(certPem, keyPem))
      const jane = kubeClient(t, plane.connection({ certificate: { certPem, keyPem } }))
      assert.deepEqual(await whoAmI(jane), { username: 'jane', groups: ['team', 'system:authenticated'] })
      const { status } = await admin.of(certificateSigningRequests).get(denied)
      assert.deepEqual([status?.certificate, status?.conditions?.length], [undefined, 1])
    })

    test('its approver: a kubelet that may renew its certificate needs nobody', async (t) => {
      const { admin, plane } = scene
      const user = { commonName: 'system:node:a', organizations: ['system:nodes'] }
      const asking = uniqueName('ask')
      const rule = { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create'] }
      await admin.of(clusterRoles).create(aClusterRole(asking, rule))
      const mayRenew = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient'
      for (const role of [asking, mayRenew])
        await admin.of(clusterRoleBindings).create(bindingOf(role, user.commonName))
      const node = kubeClient(t, plane.connection({ certificate: await plane.issueClientCertificate(user) }))
      const { keyPem } = generateKey()
      const usages = ['client auth', 'digital signature']
      const wanted = { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', subject: user, usages }
      const request = await eventually('the node may ask', () => unlessForbidden(submit(node, keyPem, wanted)))
      assert.ok(await signed(admin, request))
      const { status } = await admin.of(certificateSigningRequests).get(request)
      assert.deepEqual(
        status?.conditions?.map(({ type, reason }) => [type, reason]),
        [['Approved', 'AutoApproved']],
      )
    })

    test('its token controller: a Secret for an account is filled, is a credential, and goes with the account', async (t) => {
      const { admin, plane } = scene
      const namespace = await freshNamespace(t, admin)
      await admin.of(serviceAccounts, namespace).create({ metadata: { name: 'robot' } })
      const annotations = { 'kubernetes.io/service-account.name': 'robot' }
      const type = 'kubernetes.io/service-account-token'
      const tokens = admin.of(secrets, namespace)
      await tokens.create({ metadata: { name: 'token', annotations }, type })
      const { data = {} } = await eventually('it is filled', async () => {
        const found = await tokens.get('token')
        return found.data?.['token'] ? found : undefined
      })
      const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
      assert.deepEqual([text('namespace'), text('ca.crt').trim()], [namespace, plane.caPem.trim()])
      const robot = kubeClient(t, plane.connection({ authorization: Secret.of(text('token')) }))
      const { username } = await eventually('it is known', () => unlessForbidden(whoAmI(robot)))
      assert.equal(username, `system:serviceaccount:${namespace}:robot`)
      await admin.of(serviceAccounts, namespace).delete('robot')
      await eventually('the Secret is gone', async () => (await tokens.find('token')) === undefined)
    })

    test('its aggregation: a ClusterRole is the sum of those it selects', async () => {
      const roles = scene.admin.of(clusterRoles)
      const label = { 'test.example/part': uniqueName('x') }
      const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
      const [sum, part] = [uniqueName('sum'), uniqueName('part')]
      await roles.create({ ...aClusterRole(sum), aggregationRule: { clusterRoleSelectors: [{ matchLabels: label }] } })
      await roles.create({ ...aClusterRole(part, rule), metadata: { name: part, labels: label } })
      await eventually('it is the sum', async () => (await roles.get(sum)).rules?.length === 1)
      assert.deepEqual((await roles.get(sum)).rules, [rule])
      await roles.delete(part)
      await eventually('it is nothing', async () => !(await roles.get(sum)).rules?.length)
    })

    test('its bootstrap controllers: cluster-info is signed, and a token that has expired is deleted', async () => {
      const { admin } = scene
      const system = admin.of(secrets, 'kube-system')
      const token = (id: string, expiration: Date) =>
        system.create({
          metadata: { name: `bootstrap-token-${id}` },
          type: 'bootstrap.kubernetes.io/token',
          stringData: {
            'token-id': id,
            'token-secret': '0123456789abcdef',
            'usage-bootstrap-signing': 'true',
            expiration: timeText(expiration),
          },
        } as never)
      await token('abcdef', new Date(Date.now() + hourMs))
      await token('uvwxyz', new Date(Date.now() - hourMs))
      await eventually('cluster-info is signed', async () => {
        const { data = {} } = await admin.of(configMaps, 'kube-public').get('cluster-info')
        return data['jws-kubeconfig-abcdef']
      })
      await eventually('the other is gone', async () => !(await system.find('bootstrap-token-uvwxyz')))
      assert.ok(await system.find('bootstrap-token-abcdef'))
    })
  })

  test('it has nothing to complain about', () => {
    assert.deepEqual(complaintsIn(manager.log()), [])
  })

  test('it goes on after the control plane was killed and started again', async (t) => {
    const { plane, admin } = scene
    const namespace = await freshNamespace(t, admin)
    const owner = await aMap(admin, namespace)
    const child = await aMap(admin, namespace, { ownerReferences: [ownedBy(owner)] })
    await plane.kill(plane.apiServer)
    await plane.start(plane.apiServer)
    await admin.of(configMaps, namespace).delete(owner.metadata.name)
    await gone(admin, namespace, child.metadata.name)
    await comesWithItsOwn(t, scene)
    await terminatesWithContent(t, admin)
    await collectsInTheBackground(t, admin)
    const { keyPem } = generateKey()
    const name = await submit(admin, keyPem)
    await decide(admin, name, 'Approved')
    assert.ok(keyMatches(await signed(admin, name), keyPem))
    assert.deepEqual(complaintsIn(manager.log(), { whileAway: true }), [])
  })
})

test('the cleaner of a kube-controller-manager: what was decided long ago is gone, what waits stays', async (t) => {
  const { plane, admin } = await aPlane(t)
  const { keyPem } = generateKey()
  const longAgo = new Date(Date.now() - 25 * hourMs)
  const unsigned = { signerName: 'test.example/signer' }
  const [denied, approved, pending] = [
    await submit(admin, keyPem, unsigned),
    await submit(admin, keyPem, unsigned),
    await submit(admin, keyPem, unsigned),
  ]
  await decide(admin, denied, 'Denied', longAgo)
  await decide(admin, approved, 'Approved', longAgo)
  const csrs = admin.of(certificateSigningRequests)
  const isOver = async () => {
    const left = await Promise.all([denied, approved].map((name) => csrs.find(name)))
    return left.every((one) => one === undefined)
  }
  const log: string[] = []
  // It looks once and then in an hour, even when it has heard of no request yet: in that case another has to look.
  for (let starts = 0; starts < 10 && !(await isOver()); starts += 1) {
    const manager = await startControllerManager(t, plane, [cleaner], { ...inJson, ...unhurried })
    const startedAt = performance.now()
    await eventually('it has looked', async () => (await isOver()) || performance.now() - startedAt > aLifeMs)
    await manager.stop()
    log.push(...manager.log())
  }
  assert.ok(await isOver(), log.join('\n'))
  assert.ok(await csrs.find(pending))
})

test('a kube-controller-manager with its default content type, an election and one identity for all', async (t) => {
  const scene = await aPlane(t)
  const { plane, admin } = scene
  // It tells by the way which answers its election did not wait for.
  const flags = { 'leader-elect': true, 'use-service-account-credentials': false, v: 2 }
  // Its own role is for a manager that has an identity for each controller.
  await admin.of(clusterRoleBindings).create(bindingOf('cluster-admin', 'system:kube-controller-manager'))
  const manager = await startControllerManager(t, plane, controllers, flags)
  await comesWithItsOwn(t, scene)
  await Promise.all([terminatesWithContent(t, admin), collectsInTheBackground(t, admin)])
  const { spec } = await admin.request<{ spec: { holderIdentity: string; renewTime: string } }>({
    path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
  })
  assert.match(spec.holderIdentity, /_[0-9a-f-]{36}$/)
  assert.deepEqual(complaintsIn(manager.log()), [])
})

const bindingOf = (role: string, user: string) => {
  const binding = aClusterRoleBinding(uniqueName('binding'), aUser(user))
  return { ...binding, roleRef: { ...binding.roleRef, name: role } }
}

/** Undefined while rights, or what a credential stands for, are on their way. */
const unlessForbidden = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: unknown) => {
    if (error instanceof KubeFailure && [401, 403].includes(error.code)) return undefined
    throw error
  })
