/** What every control plane that Lanyard is tested on must do before a test of Lanyard itself means anything. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { Secret } from '../../src/core/secret.ts'
import { isForbidden, isUnauthorized } from '../../src/kube/failures.ts'
import {
  certificateSigningRequests,
  configMaps,
  namespaces,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  tokenReviews,
} from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { createRequest, generateKey, readCertificate } from '../../src/pki/index.ts'
import {
  aBootstrapToken,
  aConfigMap,
  aRole,
  aRoleBinding,
  aServiceAccount,
  aUser,
  uniqueName,
} from '../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { teardown } from '../support/test-scope.ts'
import { whoAmI } from '../support/who-am-i.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  return { plane, admin, namespace: await freshNamespace(t, admin) }
}

describe('every control plane', needsControlPlane, () => {
  test('takes its admin for a member of system:masters and a client without credentials for nobody much', async (t) => {
    const { plane, admin } = await start(t)
    assert.deepEqual(await whoAmI(admin), {
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    })
    const stranger = kubeClient(t, plane.connection({}))
    assert.deepEqual(await stranger.request({ path: '/version' }), await admin.request({ path: '/version' }))
    await assert.rejects(stranger.of(secrets, 'default').list(), isForbidden)
  })

  test('denies a user without rights and, once a role is bound, grants what the role says and no more', async (t) => {
    const { plane, admin, namespace } = await start(t)
    const certificate = await plane.issueClientCertificate({ commonName: 'jane', organizations: ['dev'] })
    const jane = kubeClient(t, plane.connection({ certificate }))
    assert.deepEqual(await whoAmI(jane), { username: 'jane', groups: ['dev', 'system:authenticated'] })
    await assert.rejects(jane.of(configMaps, namespace).list(), isForbidden)

    await admin
      .of(roles, namespace)
      .create(aRole('reader', { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser('jane')))
    await eventually('jane may list', () => isAllowed(jane.of(configMaps, namespace).list()))
    await assert.rejects(jane.of(configMaps, namespace).create(aConfigMap()), isForbidden)
    await assert.rejects(jane.of(configMaps, 'default').list(), isForbidden)
  })

  test('issues service account tokens that are good for their audience and no other', async (t) => {
    const { plane, admin, namespace } = await start(t)
    const accounts = admin.of(serviceAccounts, namespace)
    await accounts.create(aServiceAccount('robot'))
    const ask = (audiences?: string[]) =>
      accounts.createSubresource<object, { status: { token: string; expirationTimestamp: string } }>('robot', 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences, expirationSeconds: 600 },
      })

    const { status } = await ask()
    const robot = kubeClient(t, plane.connection({ authorization: Secret.of(status.token) }))
    assert.equal((await whoAmI(robot)).username, `system:serviceaccount:${namespace}:robot`)

    const { token } = (await ask(['vault'])).status
    const review = (audiences: string[]) => admin.of(tokenReviews).create({ spec: { token, audiences } })
    const [wanted, unwanted] = [await review(['vault']), await review(['registry'])]
    assert.deepEqual([wanted.status?.authenticated, wanted.status?.audiences], [true, ['vault']])
    assert.equal(unwanted.status?.authenticated ?? false, false)
    const abroad = kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
    await assert.rejects(whoAmI(abroad), isUnauthorized)
  })

  test('signs an approved request for a client certificate, which then authenticates', async (t) => {
    const { plane, admin } = await start(t)
    const { keyPem } = generateKey()
    const request = await createRequest({ keyPem, subject: { commonName: 'agent', organizations: ['agents'] } })
    const name = uniqueName('agent')
    const created = await admin.of(certificateSigningRequests).create({
      metadata: { name },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
        expirationSeconds: 600,
      },
    })
    teardown(t, async () => void (await admin.of(certificateSigningRequests).delete(name)))
    await approve(admin, created)
    const certPem = await eventually('the certificate is issued', async () => {
      const { status } = await admin.of(certificateSigningRequests).get(name)
      return status?.certificate && Buffer.from(status.certificate, 'base64').toString()
    })
    const { notBefore, notAfter } = readCertificate(certPem)
    const lifeMinutes = (notAfter.getTime() - notBefore.getTime()) / 60_000
    assert.ok(lifeMinutes <= 15, `it lives for ${lifeMinutes} minutes where ten and the back-dating were asked for`)
    const agent = kubeClient(t, plane.connection({ certificate: { certPem, keyPem } }))
    assert.deepEqual(await whoAmI(agent), { username: 'agent', groups: ['agents', 'system:authenticated'] })
  })

  test('takes the bearer of a bootstrap token for a bootstrapper, and of a wrong one for nobody', async (t) => {
    const { plane, admin } = await start(t)
    const [id, secret] = [uniqueName('x').slice(2, 8), '0123456789abcdef']
    const tokens = admin.of(secrets, 'kube-system')
    const stored = await tokens.create(aBootstrapToken({ id, secret, groups: ['system:bootstrappers:test'] }))
    teardown(t, async () => void (await tokens.delete(stored.metadata.name)))
    const as = (token: string) => kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
    const bearer = as(`${id}.${secret}`)
    const user = await eventually('the token is known', () => whoAmI(bearer).catch(ignoring(isUnauthorized)))
    assert.deepEqual(user, {
      username: `system:bootstrap:${id}`,
      groups: ['system:bootstrappers', 'system:bootstrappers:test', 'system:authenticated'],
    })
    await assert.rejects(whoAmI(as(`${id}.${secret.replace('0', '1')}`)), isUnauthorized)
  })

  test('gives each namespace an account and the root certificate, and clears it away with all that is in it', async (t) => {
    const { plane, admin } = await start(t)
    const namespace = uniqueName('doomed')
    await admin.of(namespaces).create({ metadata: { name: namespace } })
    await eventually('there is an account', () => admin.of(serviceAccounts, namespace).find('default'))
    const root = await eventually('there is a root', () => admin.of(configMaps, namespace).find('kube-root-ca.crt'))
    assert.equal(root.data?.['ca.crt'], plane.caPem)
    await admin.of(namespaces).delete(namespace)
    await eventually('the namespace is gone', async () => !(await admin.of(namespaces).find(namespace)))
  })

  test('deletes what belongs to an owner that was deleted', async (t) => {
    const { admin, namespace } = await start(t)
    const maps = admin.of(configMaps, namespace)
    const { metadata } = await maps.create(aConfigMap('owner'))
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }]
    await maps.create({ ...aConfigMap('owned'), metadata: { name: 'owned', ownerReferences } })
    await maps.delete('owner')
    await eventually('what it owned is gone', async () => !(await maps.find('owned')))
  })
})

const approve = (kube: Kube, request: Stored<CertificateSigningRequest>) =>
  kube.of(certificateSigningRequests).update(
    {
      ...request,
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'approved by a test' }] },
    },
    { subresource: 'approval' },
  )

const isAllowed = (call: Promise<unknown>): Promise<boolean> =>
  call.then(() => true, ignoring(isForbidden)).then(Boolean)

/** Undefined in place of such an error. */
const ignoring =
  (isExpected: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!isExpected(error)) throw error
  }
