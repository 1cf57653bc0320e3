/** What the issuer of service account tokens tells of itself, so that others can judge its tokens. */
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { Secret } from '../../../src/core/secret.ts'
import { serviceAccounts } from '../../../src/kube/kinds.ts'
import { aServiceAccount } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'

const [configurationPath, keysPath] = ['/.well-known/openid-configuration', '/openid/v1/jwks']

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const accounts = admin.of(serviceAccounts, await freshNamespace(t, admin))
  await accounts.create(aServiceAccount('robot'))
  const { status } = await accounts.createSubresource<object, { status: { token: string } }>('robot', 'token', {})
  return { plane, token: status.token }
}

describe('the issuer of service account tokens', needsControlPlane, () => {
  test('E15: tells any service account where its keys are, and which', async (t) => {
    const { plane, token } = await start(t)
    const robot = kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
    assert.deepEqual(await robot.request({ path: configurationPath }), {
      issuer: 'https://kubernetes.default.svc',
      jwks_uri: `${plane.url}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    })
    const { headers } = await rawRequest(plane, { path: keysPath })
    assert.deepEqual(
      [headers['content-type'], headers['cache-control']],
      ['application/jwk-set+json', 'public, max-age=3600'],
    )
  })

  test('E15: its keys are those that its tokens are signed with', async (t) => {
    const { plane, token } = await start(t)
    const { json } = await rawRequest(plane, { path: keysPath })
    const [header = '', body = '', signature = ''] = token.split('.')
    const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const jwk = json.keys.find((key: { kid: string }) => key.kid === kid)
    assert.deepEqual([jwk.use, jwk.alg, Object.keys(jwk)], ['sig', alg, ['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y']])
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
    assert.ok(verify('sha256', Buffer.from(`${header}.${body}`), key, Buffer.from(signature, 'base64url')))
  })

  test('E15: it tells nobody else, and in no other form', async (t) => {
    const { plane } = await start(t)
    const certificate = await plane.issueClientCertificate({ commonName: 'joe' })
    const stranger = await rawRequest(plane, { path: keysPath, certificate })
    assert.deepEqual(
      [stranger.code, stranger.json.message],
      [403, `forbidden: User "joe" cannot get path "${keysPath}"`],
    )
    assert.equal((await rawRequest(plane, { path: configurationPath, certificate: null })).code, 403)
    const odd = await rawRequest(plane, { path: keysPath, headers: { accept: 'application/json' } })
    assert.deepEqual(
      [odd.code, odd.json.message],
      [406, '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json'],
    )
    assert.equal((await rawRequest(plane, { path: keysPath, method: 'POST' })).code, 405)
    for (const path of ['/openid/v1', '/.well-known/other']) assert.equal((await rawRequest(plane, { path })).code, 404)
  })
})
