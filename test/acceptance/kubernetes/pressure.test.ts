/** More than there is room for: who came first keeps nobody from being served, and is not let in by it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { connect } from 'node:http2'
import { describe, test } from 'node:test'
import { Secret } from '../../../src/core/secret.ts'
import { configMaps, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { clientAs, grant } from '../../support/access-scene.ts'
import {
  authorizationConfig,
  rbacAuthorizer,
  startAuthorizationHook,
  webhookAuthorizer,
} from '../../support/authorization-hook.ts'
import { aConfigMap, aServiceAccount, uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

/** As many as both servers take on one connection, and a few less. */
const streamsOfOne = 80

/**
 * Many requests of one user at once, on as many connections as that takes. Resolves when the server has them all, to the
 * codes that they will be answered with.
 */
async function flood(
  t: TestScope,
  plane: ControlPlane,
  user: string,
  count: number,
  open: (session: ClientHttp2Session, index: number) => ClientHttp2Stream,
): Promise<Promise<number>[]> {
  const { certPem, keyPem } = await plane.issueClientCertificate({ commonName: user })
  const codes: Promise<number>[] = []
  const sessions: ClientHttp2Session[] = []
  for (let index = 0; index < count; index++) {
    if (index % streamsOfOne === 0) {
      const session = connect(plane.url, { ca: plane.caPem, cert: certPem, key: keyPem.reveal() })
      session.on('error', () => {})
      teardown(t, () => session.destroy())
      await once(session, 'connect')
      sessions.push(session)
    }
    codes.push(codeOf(open(sessions.at(-1) as ClientHttp2Session, index)))
  }
  // An answer to a ping comes after everything before it was read.
  for (const session of sessions)
    await new Promise<void>((resolve, reject) =>
      session.ping((error: Error | null) => (error ? reject(error) : resolve())),
    )
  return codes
}

/** 0 of one that ends without an answer. */
const codeOf = (stream: ClientHttp2Stream): Promise<number> =>
  new Promise((resolve) => {
    stream.on('error', () => {}).resume()
    stream.once('response', (headers) => resolve(Number(headers[':status'])))
    stream.once('close', () => resolve(0))
  })

/** Until the server knows of the grant. */
const granted = (kube: Kube) =>
  eventually('RBAC knows', () =>
    kube
      .of(configMaps, 'default')
      .list()
      .then(
        () => true,
        () => false,
      ),
  )

const configMapRights = { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'list', 'get'] }

describe('under pressure', needsControlPlane, () => {
  test('F13: one identity that leaves 640 requests unfinished keeps nobody else from being served', async (t) => {
    const plane = await startControlPlane(t, { controllers: false })
    const admin = kubeClient(t, plane.connection())
    const flooder = uniqueName('flooder')
    await admin.of(serviceAccounts, 'default').create(aServiceAccount('quiet'))
    const { status } = await admin
      .of(serviceAccounts, 'default')
      .createSubresource<object, { status: { token: string } }>('quiet', 'token', { spec: { expirationSeconds: 600 } })
    const account = { kind: 'ServiceAccount', name: 'quiet', namespace: 'default' }
    await grant(admin, 'default', [flooder, account], configMapRights)
    const quiet = kubeClient(t, plane.connection({ authorization: Secret.of(status.token) }))
    await granted(quiet)
    await granted(await clientAs(t, plane, flooder))

    const path = '/api/v1/namespaces/default/configmaps'
    const headers = { 'content-type': 'application/json', 'content-length': '1000' }
    await flood(t, plane, flooder, 640, (session) => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers })
      stream.write('{"kind')
      return stream
    })
    // Each is asked once: our own client would come again.
    const asAccount = { headers: { authorization: `Bearer ${status.token}` }, certificate: null }
    for (const [who, credentials] of Object.entries({ quiet: asAccount, admin: {} })) {
      const codes: number[] = []
      for (let index = 0; index < 10; index++) {
        const body = JSON.stringify(aConfigMap(`${who}-${index}`))
        codes.push((await rawRequest(plane, { ...credentials, method: 'POST', path, body })).code)
        codes.push((await rawRequest(plane, { ...credentials, path })).code)
      }
      assert.deepEqual([...new Set(codes)], [201, 200], who)
    }
  })

  test('F4a: more requests at once than are put to a webhook: it is asked about each that gets in', async (t) => {
    const released = Promise.withResolvers<void>()
    const hook = await startAuthorizationHook(t, async () => {
      await released.promise
      return { allowed: false, denied: true, reason: 'not now' }
    })
    const user = uniqueName('eager')
    const matchConditions = [
      { expression: `request.user == "${user}"` },
      { expression: '!has(request.resourceAttributes) || request.resourceAttributes.verb == "get"' },
    ]
    const plane = await startControlPlane(t, {
      controllers: false,
      authorizationConfig: authorizationConfig(
        webhookAuthorizer('denies', hook.kubeConfigFile, { matchConditions }),
        rbacAuthorizer,
      ),
    })
    const admin = kubeClient(t, plane.connection())
    await grant(admin, 'default', [user], configMapRights)
    await granted(await clientAs(t, plane, user))

    const codes = await flood(t, plane, user, 1_200, (session, index) =>
      session.request({ ':path': index % 2 === 0 ? '/version' : `/api/v1/namespaces/default/configmaps/x-${index}` }),
    )
    released.resolve()
    const told = new Set(await Promise.all(codes))
    assert.ok(told.has(403))
    assert.deepEqual(
      [...told].filter((code) => ![403, 429, 503, 504].includes(code)),
      [],
    )
  })
})
