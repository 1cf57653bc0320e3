/** Tokens that a webhook is asked about. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { Secret } from '../../../src/core/secret.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { tokenReviews } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { HttpsServer } from '../../support/https-server.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { reviewSelf } from '../../support/self-review.ts'
import { whoAmI } from '../../support/who-am-i.ts'

interface TokenReview {
  apiVersion: string
  kind: string
  spec: { token: string; audiences?: string[] }
}

const kubeconfig = ({ url, caPem }: HttpsServer): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'hook',
        cluster: { server: `${url}/ask`, 'certificate-authority-data': Buffer.from(caPem).toString('base64') },
      },
    ],
    users: [{ name: 'hook', user: { token: 'of-the-api-server' } }],
    contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'hook' } }],
    'current-context': 'hook',
  })

const known: Record<string, object> = {
  plain: { authenticated: true, user: { username: 'jane' } },
  whole: {
    authenticated: true,
    user: { username: 'joe', uid: 'u-1', groups: ['dev', 'ops'], extra: { 'acme.io/team': ['blue'] } },
  },
  unknown: { authenticated: false, error: 'the card has been revoked' },
  abroad: { authenticated: true, user: { username: 'jim' }, audiences: ['elsewhere'] },
}

async function start(t: TestContext) {
  const asked: (TokenReview & { authorization: string | undefined; path: string })[] = []
  const hook = await startHttpsServer(t, ({ path, headers, body }) => {
    const review = body as TokenReview
    asked.push({ ...review, path, authorization: headers.authorization })
    if (!(review.spec.token in known)) return undefined
    return { apiVersion: review.apiVersion, kind: review.kind, status: known[review.spec.token] }
  })
  const plane = await startControlPlane(t, { controllers: false, tokenWebhookConfig: kubeconfig(hook) })
  const admin = kubeClient(t, plane.connection())
  const as = (token: string) => kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
  return { admin, as, asked, countOf: (token: string) => asked.filter(({ spec }) => spec.token === token).length }
}

describe('a token webhook', needsControlPlane, () => {
  test('E15: a token that nobody else knows is shown to the webhook, whose word counts and is remembered', async (t) => {
    const { admin, as, asked, countOf } = await start(t)
    const jane = as('plain')
    assert.deepEqual(await reviewSelf(jane), { username: 'jane', groups: ['system:authenticated'] })
    for (let round = 0; round < 5; round++) await whoAmI(jane)
    assert.equal(countOf('plain'), 1)
    const [{ apiVersion, kind, spec, authorization, path } = assert.fail('it was not asked')] = asked
    assert.deepEqual(
      { apiVersion, kind, spec, authorization, path: path.replace(/\?.*/, '') },
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'plain', audiences: ['https://kubernetes.default.svc'] },
        authorization: 'Bearer of-the-api-server',
        path: '/ask',
      },
    )

    assert.deepEqual(await reviewSelf(as('whole')), {
      username: 'joe',
      uid: 'u-1',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'acme.io/team': ['blue'] },
    })

    // What the webhook refuses, or cannot answer, is refused; and what others refuse, too.
    for (const token of ['unknown', 'abroad', 'unheard-of']) await assert.rejects(whoAmI(as(token)), isUnauthorized)
    const { status } = await admin.of(tokenReviews).create({ spec: { token: 'unknown' } })
    assert.deepEqual(status, { user: {}, error: '[invalid bearer token, the card has been revoked]' })
  })

  test('E15: a token of a service account is not shown to the webhook', async (t) => {
    const { admin, as, asked } = await start(t)
    const path = '/api/v1/namespaces/default/serviceaccounts'
    const post = <R>(at: string, body: object) =>
      admin.request<R>({ method: 'POST', path: at, body, contentType: 'application/json' })
    await post(path, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } })
    const { status } = await post<{ status: { token: string } }>(`${path}/robot/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    assert.equal((await whoAmI(as(status.token))).username, 'system:serviceaccount:default:robot')
    assert.deepEqual(asked, [])
  })
})
