/** Who may approve and sign certificate requests, and what may not be asked for. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { SubjectInput } from '../../../src/pki/index.ts'
import { createRequest, generateKey } from '../../../src/pki/index.ts'
import { accessScene, isAllowed } from '../../support/access-scene.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { aClusterRole, aClusterRoleBinding, aUser, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { teardown } from '../../support/test-scope.ts'

const group = 'certificates.k8s.io'
const writing: PolicyRule = {
  apiGroups: [group],
  resources: ['', '/approval', '/status'].map((part) => `certificatesigningrequests${part}`),
  verbs: ['get', 'create', 'update', 'patch'],
}
const forSigner = (verb: 'approve' | 'sign', resourceName: string): PolicyRule => ({
  apiGroups: [group],
  resources: ['signers'],
  resourceNames: [resourceName],
  verbs: [verb],
})

async function aRequest(
  signerName: string,
  subject: SubjectInput = { commonName: 'somebody' },
): Promise<CertificateSigningRequest & { metadata: { name: string } }> {
  const { keyPem } = generateKey()
  const request = Buffer.from(await createRequest({ keyPem, subject })).toString('base64')
  return { metadata: { name: uniqueName('request') }, spec: { request, signerName, usages: ['client auth'] } }
}

/** A request at a signer, and users who may write it, each with rights of their own at signers. */
async function start(t: TestContext, signerName = 'test.example/one') {
  const scene = await accessScene(t)
  const request = await aRequest(signerName)
  const { name } = request.metadata
  const requests = scene.admin.of(certificateSigningRequests)
  await requests.create(request)
  teardown(t, async () => void (await requests.delete(name)))
  const userWith = async (...rules: PolicyRule[]) => {
    const user = uniqueName('jane')
    await scene.clusterRole(aClusterRole(user, writing, ...rules))
    await scene.clusterRoleBinding(aClusterRoleBinding(user, aUser(user)))
    const kube = await scene.as(user)
    await eventually('the rights are known', () => isAllowed(kube.of(certificateSigningRequests).get(name)))
    return kube
  }
  const write = (kube: Kube, subresource: 'approval' | 'status', body: object) =>
    refusalOf(kube.of(certificateSigningRequests).patch(name, { type: 'merge', body }, { subresource }))
  const forbidden = (verb: 'approve' | 'sign') => ({
    code: 403,
    reason: 'Forbidden',
    message: `certificatesigningrequests.${group} "${name}" is forbidden: user not permitted to ${verb} requests with signerName "${signerName}"`,
  })
  return { ...scene, requests, name, userWith, write, forbidden }
}

const condition = (type: string) => ({
  status: { conditions: [{ type, status: 'True', reason: 'Test', message: 'by a test' }] },
})
const allowed = { code: 200, reason: '', message: 'it was allowed' }

describe('certificate requests', needsControlPlane, () => {
  test('E17: approving and denying takes the right to approve at the signer', async (t) => {
    const { userWith, write, forbidden } = await start(t)
    const stranger = await userWith(forSigner('sign', 'test.example/one'))
    for (const body of [condition('Approved'), condition('Denied'), {}])
      assert.deepEqual(await write(stranger, 'approval', body), forbidden('approve'))
    const other = await userWith(forSigner('approve', 'test.example/two'), forSigner('approve', 'other.example/*'))
    assert.deepEqual(await write(other, 'approval', condition('Approved')), forbidden('approve'))
    const approver = await userWith(forSigner('approve', 'test.example/one'))
    assert.deepEqual(await write(approver, 'approval', condition('Approved')), allowed)
  })

  test('E17: a right at a whole domain of signers is enough', async (t) => {
    const { userWith, write } = await start(t)
    const approver = await userWith(forSigner('approve', 'test.example/*'), forSigner('sign', 'test.example/*'))
    assert.deepEqual(await write(approver, 'approval', condition('Denied')), allowed)
    const failed = condition('Failed').status.conditions
    const conditions = [...condition('Denied').status.conditions, ...failed]
    assert.deepEqual(await write(approver, 'status', { status: { conditions } }), allowed)
  })

  test('E17: signing, and saying that it failed, takes the right to sign at the signer', async (t) => {
    const { plane, userWith, write, forbidden } = await start(t)
    const stranger = await userWith(forSigner('approve', 'test.example/one'))
    const certificate = Buffer.from(plane.caPem).toString('base64')
    assert.deepEqual(await write(stranger, 'status', { status: { certificate } }), forbidden('sign'))
    assert.deepEqual(await write(stranger, 'status', condition('Failed')), forbidden('sign'))
    for (const body of [{}, { metadata: { labels: { a: 'b' } } }])
      assert.deepEqual(await write(stranger, 'status', body), allowed)
    const signer = await userWith(forSigner('sign', 'test.example/one'))
    assert.deepEqual(await write(signer, 'status', { status: { certificate } }), allowed)
  })

  test('E17: nobody gets a certificate of system:masters from the signer of clients', async (t) => {
    const { requests } = await start(t)
    const masters = { commonName: 'somebody', organizations: ['others', 'system:masters'] }
    const signer = 'kubernetes.io/kube-apiserver-client'
    const refused = await aRequest(signer, masters)
    const dryRun = { dryRun: true }
    assert.deepEqual(await refusalOf(requests.create(refused, dryRun)), {
      code: 403,
      reason: 'Forbidden',
      message: `certificatesigningrequests.${group} "${refused.metadata.name}" is forbidden: use of ${signer} signer with system:masters group is not allowed`,
    })
    assert.ok(await requests.create(await aRequest('test.example/one', masters), dryRun))
    assert.ok(await requests.create(await aRequest(signer, { ...masters, organizations: ['others'] }), dryRun))
  })
})
