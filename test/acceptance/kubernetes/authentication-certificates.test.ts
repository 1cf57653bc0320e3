/** Users who show a client certificate. */
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { Secret } from '../../../src/core/secret.ts'
import type { Credentials } from '../../../src/kube/connection.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { issueForClient, testAuthority } from '../../support/control-plane/identities.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { reviewSelf } from '../../support/self-review.ts'
import { whoAmI } from '../../support/who-am-i.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  return { plane, as: (credentials: Credentials) => kubeClient(t, plane.connection(credentials)) }
}

const foreign = async (commonName: string) =>
  issueForClient(await testAuthority('another-client-ca'), { commonName, organizations: ['system:masters'] })

describe('client certificates', needsControlPlane, () => {
  test('E15: the common name of a client certificate is the user, its organizations are the groups, in their order', async (t) => {
    const { plane, as } = await start(t)
    const certificate = await plane.issueClientCertificate({ commonName: 'jane', organizations: ['ops', 'dev', 'ops'] })
    const digest = createHash('sha256').update(new X509Certificate(certificate.certPem).raw).digest('hex')
    assert.deepEqual(await reviewSelf(as({ certificate })), {
      username: 'jane',
      groups: ['ops', 'dev', 'ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] },
    })
  })

  test('E15: a certificate of another authority is refused, even for what everybody may see', async (t) => {
    const { as } = await start(t)
    const stranger = as({ certificate: await foreign('kubernetes-admin') })
    await assert.rejects(whoAmI(stranger), isUnauthorized)
    await assert.rejects(stranger.request({ path: '/version' }), isUnauthorized)
  })

  test('E15: an expired certificate is refused', async (t) => {
    const { plane, as } = await start(t)
    const certificate = await plane.issueClientCertificate({ commonName: 'jane', lifetimeMs: -60_000 })
    await assert.rejects(whoAmI(as({ certificate })), isUnauthorized)
  })

  test('E15: a certificate goes before a token, a bad one gives way to a good token', async (t) => {
    const { plane, as } = await start(t)
    const certificate = await plane.issueClientCertificate({ commonName: 'jane' })
    const jane = as({ certificate, authorization: Secret.of('no-such-token') })
    assert.equal((await whoAmI(jane)).username, 'jane')

    const admin = as({ certificate: plane.admin })
    const { status } = await admin.request<{ status: { token: string } }>({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts/default/token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      contentType: 'application/json',
    })
    const robot = as({ certificate: await foreign('joe'), authorization: Secret.of(status.token) })
    assert.equal((await whoAmI(robot)).username, 'system:serviceaccount:default:default')
  })
})
