/** What can be chosen when a control plane is started. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { Secret } from '../../src/core/secret.ts'
import { isForbidden, isUnauthorized } from '../../src/kube/failures.ts'
import { configMaps, secrets } from '../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import type { HttpsServer } from '../support/https-server.ts'
import { startHttpsServer } from '../support/https-server.ts'
import { kubeClient } from '../support/kube-client.ts'
import { tempDir } from '../support/temp-dir.ts'
import { startTokenIssuer } from '../support/token-issuer.ts'
import { whoAmI } from '../support/who-am-i.ts'

const bearer = (authorization: Secret) => ({ authorization })

/** The kubeconfig by which an API server finds a webhook. */
const webhookConfig = ({ url, caPem }: HttpsServer): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'hook', cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'hook', user: {} }],
    contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'hook' } }],
    'current-context': 'hook',
  })

interface AccessReview {
  spec: { user: string; resourceAttributes?: { resource?: string } }
}

describe('a control plane with options', needsControlPlane, () => {
  test('asks an authorization webhook before RBAC, and its word counts both ways', async (t) => {
    const hook = await startHttpsServer(t, ({ body }) => {
      const { spec } = body as AccessReview
      const isAboutSecrets = spec.resourceAttributes?.resource === 'secrets'
      const status = isAboutSecrets
        ? { allowed: false, denied: true, reason: 'no secrets' }
        : { allowed: spec.user === 'jane' }
      return { ...(body as object), status }
    })
    const kubeConfigFile = join(tempDir(t), 'webhook.kubeconfig')
    writeFileSync(kubeConfigFile, webhookConfig(hook))
    const plane = await startControlPlane(t, {
      ownProcess: true,
      controllers: false,
      authorizationConfig: stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [
          {
            type: 'Webhook',
            name: 'test',
            webhook: {
              timeout: '30s',
              authorizedTTL: '1s',
              unauthorizedTTL: '1s',
              subjectAccessReviewVersion: 'v1',
              matchConditionSubjectAccessReviewVersion: 'v1',
              failurePolicy: 'NoOpinion',
              connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
            },
          },
          { type: 'RBAC', name: 'rbac' },
        ],
      }),
    })
    const as = async (commonName: string) =>
      kubeClient(t, plane.connection({ certificate: await plane.issueClientCertificate({ commonName }) }))
    const [jane, joe] = [await as('jane'), await as('joe')]
    assert.deepEqual((await jane.of(configMaps, 'default').list()).items, [])
    await assert.rejects(jane.of(secrets, 'default').list(), isForbidden)
    await assert.rejects(joe.of(configMaps, 'default').list(), isForbidden)
  })

  test('takes tokens of an OpenID provider given by flags', async (t) => {
    const issuer = await startTokenIssuer(t)
    const plane = await startControlPlane(t, {
      ownProcess: true,
      controllers: false,
      oidc: {
        issuerUrl: issuer.url,
        clientId: 'kube',
        caPem: issuer.caPem,
        usernameClaim: 'email',
        usernamePrefix: 'idp:',
        groupsClaim: 'groups',
      },
    })
    const as = (claims: object) => kubeClient(t, plane.connection(bearer(issuer.token({ ...claims }))))
    const claims = { aud: 'kube', email: 'jane@example.com', groups: ['dev'] }
    const user = await eventually('the provider is known', () => whoAmI(as(claims)).catch(() => undefined))
    assert.deepEqual(user, { username: 'idp:jane@example.com', groups: ['dev', 'system:authenticated'] })
    await assert.rejects(whoAmI(as({ ...claims, aud: 'other' })), isUnauthorized)
    await assert.rejects(whoAmI(as({ ...claims, exp: 1 })), isUnauthorized)
  })

  test('takes a structured authentication configuration beside a token webhook, and can close the door to strangers', async (t) => {
    const issuer = await startTokenIssuer(t)
    const hook = await startHttpsServer(t, ({ body }) => {
      const { spec } = body as { spec: { token: string } }
      const authenticated = spec.token === 'opaque'
      return {
        ...(body as object),
        status: { authenticated, ...(authenticated && { user: { username: 'webhook:jane' } }) },
      }
    })
    const plane = await startControlPlane(t, {
      ownProcess: true,
      controllers: false,
      tokenWebhookConfig: webhookConfig(hook),
      authenticationConfig: stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthenticationConfiguration',
        anonymous: { enabled: false },
        jwt: [
          {
            issuer: { url: issuer.url, audiences: ['kube'], certificateAuthority: issuer.caPem },
            claimMappings: { username: { expression: '"jwt:" + claims.sub' } },
          },
        ],
      }),
    })
    const byToken = kubeClient(t, plane.connection(bearer(issuer.token({ aud: 'kube', sub: 'jane' }))))
    const user = await eventually('the provider is known', () => whoAmI(byToken).catch(() => undefined))
    assert.equal(user.username, 'jwt:jane')
    const byWebhook = kubeClient(t, plane.connection(bearer(Secret.of('opaque'))))
    assert.equal((await whoAmI(byWebhook)).username, 'webhook:jane')
    const stranger = kubeClient(t, plane.connection({}))
    await assert.rejects(stranger.request({ path: '/version' }), isUnauthorized)
  })

  test('tells from its audit log who asked for what', async (t) => {
    const plane = await startControlPlane(t, {
      ownProcess: true,
      controllers: false,
      auditPolicy: stringify({
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived'],
        rules: [{ level: 'Metadata', users: ['jane'] }, { level: 'None' }],
      }),
    })
    const certificate = await plane.issueClientCertificate({ commonName: 'jane' })
    const jane = kubeClient(t, plane.connection({ certificate }))
    await assert.rejects(jane.of(secrets, 'default').get('keys'), isForbidden)
    const [event] = await eventually('it is written down', () => plane.auditEvents(), {
      until: ({ length }) => length > 0,
    })
    assert.deepEqual(
      [
        event?.user.username,
        event?.verb,
        event?.objectRef?.resource,
        event?.objectRef?.name,
        event?.responseStatus?.code,
      ],
      ['jane', 'get', 'secrets', 'keys', 403],
    )
  })

  test('that cannot be understood says so, with the words of the program', async (t) => {
    const misspelt = startControlPlane(t, {
      ownProcess: true,
      controllers: false,
      authorizationConfig: stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [{ type: 'Oracle', name: 'oracle' }],
      }),
    })
    await assert.rejects(
      misspelt,
      /^StartFailure: [\w-]+ ended before it was ready[\s\S]*authorizers\[0\]\.type: Unsupported value: \\?"Oracle\\?"/,
    )
  })
})
