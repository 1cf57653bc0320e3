/** Bound tokens of service accounts: asked for with a TokenRequest, good until what they are bound to is gone. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { Secret } from '../../../src/core/secret.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { nodes, pods, secrets, serviceAccounts, tokenReviews } from '../../../src/kube/kinds.ts'
import { aSecret, aServiceAccount, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { refusal, reviewSelf } from '../../support/self-review.ts'
import { teardown } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

interface Spec {
  audiences?: string[]
  expirationSeconds?: number
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string }
}

interface TokenRequest {
  metadata: { name: string; namespace: string; uid: string; creationTimestamp: string }
  spec: Required<Spec>
  status: { token: string; expirationTimestamp: string }
}

const issuer = 'https://kubernetes.default.svc'

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const accounts = admin.of(serviceAccounts, namespace)
  const account = await accounts.create(aServiceAccount('robot'))
  const ask = (spec: Spec = {}, more: object = {}) =>
    accounts.createSubresource<object, TokenRequest>('robot', 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      ...more,
      spec,
    })
  const mint = async (spec: Spec = {}) => (await ask(spec)).status.token
  const bearer = (token: string) => kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
  const review = async (token: string, audiences?: string[]) =>
    (await admin.of(tokenReviews).create({ spec: { token, ...(audiences && { audiences }) } })).status
  return { admin, namespace, accounts, account, ask, mint, bearer, review }
}

const aPod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    serviceAccountName: 'robot',
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'none' }],
    ...spec,
  },
})

const isRefused = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    (error) => {
      assert.ok(isUnauthorized(error), `${error}`)
      return true
    },
  )

describe('tokens of service accounts', needsControlPlane, () => {
  test('E15: a token stands for its account, with the groups of all accounts and of those in its namespace', async (t) => {
    const { account, namespace, mint, bearer } = await start(t)
    const token = await mint()
    assert.deepEqual(await reviewSelf(bearer(token)), {
      username: `system:serviceaccount:${namespace}:robot`,
      uid: account.metadata.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(token).jti}`] },
    })
  })

  test('E15: the claims of a token say whose it is, for whom and for how long', async (t) => {
    const { account, namespace, ask } = await start(t)
    const { metadata, spec, status } = await ask({ expirationSeconds: 900 })
    const { iat, jti, ...claims } = claimsOf(status.token)
    assert.deepEqual(claims, {
      iss: issuer,
      sub: `system:serviceaccount:${namespace}:robot`,
      aud: [issuer],
      exp: iat + 900,
      nbf: iat,
      'kubernetes.io': { namespace, serviceaccount: { name: 'robot', uid: account.metadata.uid } },
    })
    assert.match(jti, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Date.parse(status.expirationTimestamp) / 1000, claims.exp)
    assert.deepEqual(
      [metadata.name, metadata.namespace, metadata.uid, spec.audiences, spec.expirationSeconds, spec.boundObjectRef],
      ['robot', namespace, account.metadata.uid, [issuer], 900, null],
    )
  })

  test('E15: a token lives for an hour unless the request says otherwise', async (t) => {
    const { ask } = await start(t)
    const { spec, status } = await ask()
    assert.equal(spec.expirationSeconds, 3600)
    const { exp, iat } = claimsOf(status.token)
    assert.equal(exp - iat, 3600)
  })

  test('E15: a token for another audience is refused here and good there', async (t) => {
    const { mint, bearer, review } = await start(t)
    const token = await mint({ audiences: ['vault', 'registry'] })
    await assert.rejects(whoAmI(bearer(token)), isUnauthorized)
    const [there, elsewhere] = [await review(token, ['registry', 'other']), await review(token, ['other'])]
    assert.deepEqual([there?.authenticated, there?.audiences], [true, ['registry']])
    assert.deepEqual(elsewhere, {
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault" "registry"] is invalid for the target audiences ["other"]]',
    })
  })

  test('E15: a token whose signature is another one is refused', async (t) => {
    const { mint, bearer, review } = await start(t)
    const [head, claims, signature = ''] = (await mint()).split('.')
    const forged = [head, claims, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.')
    await assert.rejects(whoAmI(bearer(forged)), isUnauthorized)
    assert.equal((await review(forged))?.authenticated ?? false, false)
  })

  test('E15: deleting the account revokes its tokens, and one that was in use as well', async (t) => {
    const { accounts, mint, bearer, review } = await start(t)
    const [used, unused] = [await mint(), await mint()]
    const robot = bearer(used)
    await whoAmI(robot)
    await accounts.delete('robot')
    await eventually('the unused one is refused', () => isRefused(whoAmI(bearer(unused))))
    assert.deepEqual(await review(unused), {
      user: {},
      error: '[invalid bearer token, serviceaccounts "robot" not found]',
    })
    await eventually('the used one is refused', () => isRefused(whoAmI(robot)), { everyMs: 250 })
  })

  test('E15: an account of the same name is another one: tokens of the first stay refused', async (t) => {
    const { account, accounts, mint, bearer, review } = await start(t)
    const old = await mint()
    await accounts.delete('robot')
    const { metadata } = await accounts.create(aServiceAccount('robot'))
    await eventually('the new account counts', async () => (await review(await mint()))?.authenticated)
    await assert.rejects(whoAmI(bearer(old)), isUnauthorized)
    assert.deepEqual(await review(old), {
      user: {},
      error: `[invalid bearer token, service account UID (${metadata.uid}) does not match claim (${account.metadata.uid})]`,
    })
  })

  test('E15: deleting the Secret that a token is bound to revokes it', async (t) => {
    const { admin, namespace, mint, bearer, review } = await start(t)
    const { metadata } = await admin.of(secrets, namespace).create(aSecret('anchor'))
    const bound = { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor' } }
    const [used, unused] = [await mint(bound), await mint(bound)]
    assert.deepEqual(claimsOf(used)['kubernetes.io'].secret, { name: 'anchor', uid: metadata.uid })
    const { extra } = await reviewSelf(bearer(used))
    assert.deepEqual(Object.keys(extra ?? {}), ['authentication.kubernetes.io/credential-id'])

    await admin.of(secrets, namespace).delete('anchor')
    await eventually('it is refused', () => isRefused(whoAmI(bearer(unused))))
    assert.deepEqual(await review(unused), {
      user: {},
      error: '[invalid bearer token, service account token has been invalidated]',
    })
  })

  test('E15: a Secret of the same name does not bring the token back', async (t) => {
    const { admin, namespace, mint, bearer, review } = await start(t)
    const anchors = admin.of(secrets, namespace)
    const first = await anchors.create(aSecret('anchor'))
    const token = await mint({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor' } })
    await anchors.delete('anchor')
    const second = await anchors.create(aSecret('anchor'))
    await eventually('the new one counts', async () => {
      const bound = await mint({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor' } })
      return (await review(bound))?.authenticated
    })
    await assert.rejects(whoAmI(bearer(token)), isUnauthorized)
    assert.equal(
      (await review(token))?.error,
      `[invalid bearer token, secret UID (${second.metadata.uid}) does not match service account secret ref claim (${first.metadata.uid})]`,
    )
  })

  test('E15: deleting the Pod that a token is bound to revokes it; until then it names pod and node', async (t) => {
    const { admin, namespace, mint, bearer, review } = await start(t)
    const node = await admin.of(nodes).create({ metadata: { name: uniqueName('authentication') } })
    teardown(t, async () => void (await admin.of(nodes).delete(node.metadata.name)))
    const pod = await admin.of(pods, namespace).create(aPod('worker', { nodeName: node.metadata.name }))
    const bound = { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'worker', uid: pod.metadata.uid } }
    const [used, unused] = [await mint(bound), await mint(bound)]
    const { 'kubernetes.io': kubernetes, jti } = claimsOf(used)
    assert.deepEqual(
      [kubernetes.pod, kubernetes.node],
      [
        { name: 'worker', uid: pod.metadata.uid },
        { name: node.metadata.name, uid: node.metadata.uid },
      ],
    )
    assert.deepEqual((await reviewSelf(bearer(used))).extra, {
      'authentication.kubernetes.io/credential-id': [`JTI=${jti}`],
      'authentication.kubernetes.io/pod-name': ['worker'],
      'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
      'authentication.kubernetes.io/node-name': [node.metadata.name],
      'authentication.kubernetes.io/node-uid': [node.metadata.uid],
    })

    await admin.request({
      method: 'DELETE',
      path: `/api/v1/namespaces/${namespace}/pods/worker`,
      query: { gracePeriodSeconds: 0 },
    })
    await eventually('it is refused', () => isRefused(whoAmI(bearer(unused))))
    assert.equal((await review(unused))?.error, '[invalid bearer token, service account token has been invalidated]')
  })

  test('E15: deleting the Node that a token is bound to revokes it', async (t) => {
    const { admin, mint, bearer } = await start(t)
    const name = uniqueName('authentication')
    await admin.of(nodes).create({ metadata: { name } })
    teardown(t, async () => void (await admin.of(nodes).delete(name)))
    const bound = { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name } }
    const [used, unused] = [await mint(bound), await mint(bound)]
    await eventually('it is good', async () => !(await isRefused(whoAmI(bearer(used)))))
    await admin.of(nodes).delete(name)
    await eventually('it is refused', () => isRefused(whoAmI(bearer(unused))))
  })

  test('E15: a lifetime of less than ten minutes, or of more than 2^32 seconds, cannot be asked for', async (t) => {
    const { ask } = await start(t)
    const why = (expirationSeconds: number) => refusal(ask({ expirationSeconds }))
    const begin = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value'
    assert.equal(await why(599), `${begin}: 599: may not specify a duration less than 10 minutes`)
    assert.equal(await why(0), `${begin}: 0: may not specify a duration less than 10 minutes`)
    assert.equal(await why(2 ** 32 + 1), `${begin}: 4294967297: may not specify a duration larger than 2^32 seconds`)
    assert.equal((await ask({ expirationSeconds: 600 })).spec.expirationSeconds, 600)
    assert.equal((await ask({ expirationSeconds: 2 ** 32 })).spec.expirationSeconds, 2 ** 32)
  })

  test('E15: a token for a pod that asks for an hour and seven seconds lives for a year, and says when it should have ended', async (t) => {
    const { admin, namespace, ask } = await start(t)
    await admin.of(pods, namespace).create(aPod('worker'))
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'worker' }
    const { status } = await ask({ expirationSeconds: 3607, boundObjectRef })
    const { exp, iat, 'kubernetes.io': kubernetes } = claimsOf(status.token)
    assert.deepEqual([exp - iat, kubernetes.warnafter - iat], [365 * 24 * 3600, 3607])
    assert.equal(Date.parse(status.expirationTimestamp) / 1000, iat + 3607)
    const elsewhere = claimsOf(
      (await ask({ expirationSeconds: 3607, boundObjectRef, audiences: ['vault'] })).status.token,
    )
    assert.deepEqual([elsewhere.exp - elsewhere.iat, elsewhere['kubernetes.io'].warnafter], [3607, undefined])
  })

  test('E15: a token is bound to nothing that is not there, is another one or is of another kind', async (t) => {
    const { admin, namespace, ask } = await start(t)
    await admin.of(secrets, namespace).create(aSecret('anchor'))
    const why = (ref: NonNullable<Spec['boundObjectRef']>) => refusal(ask({ boundObjectRef: ref }))
    const [Secret, Pod] = [
      { kind: 'Secret', apiVersion: 'v1' },
      { kind: 'Pod', apiVersion: 'v1' },
    ]
    assert.equal(await why({ ...Secret, name: 'absent' }), 'secrets "absent" not found')
    assert.equal(await why({ ...Pod, name: 'absent' }), 'pods "absent" not found')
    assert.equal(await why({ kind: 'Node', apiVersion: 'v1', name: 'absent' }), 'nodes "absent" not found')
    assert.equal(await why(Secret), 'Name parameter required.')
    assert.equal(
      await why({ kind: 'ConfigMap', apiVersion: 'v1', name: 'x' }),
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    )
    assert.equal(
      await why({ kind: 'Deployment', apiVersion: 'apps/v1', name: 'x' }),
      'cannot bind token to object of type apps/v1, Kind=Deployment',
    )
    assert.equal(
      await why({ ...Secret, name: 'anchor', uid: 'other' }),
      'Operation cannot be fulfilled on Secret "anchor": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
    )
  })

  test('E15: a token is not bound to a Pod of another account', async (t) => {
    const { admin, namespace, accounts, ask } = await start(t)
    await accounts.create(aServiceAccount('other'))
    await admin.of(pods, namespace).create(aPod('foreign', { serviceAccountName: 'other' }))
    assert.equal(
      await refusal(ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'foreign' } })),
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    )
  })

  test('E15: a request that names another account, or another uid of it, is refused', async (t) => {
    const { account, ask } = await start(t)
    assert.equal(
      await refusal(ask({}, { metadata: { name: 'other' } })),
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    )
    assert.equal(
      await refusal(ask({}, { metadata: { uid: 'other' } })),
      `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (other) does not match the UID of the service account (${account.metadata.uid})`,
    )
  })

  test('E15: there is no token of an account that does not exist', async (t) => {
    const { accounts } = await start(t)
    const asked = accounts.createSubresource('nobody', 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    assert.equal(await refusal(asked), 'serviceaccounts "nobody" not found')
  })
})
