/** Whom the hub believes to be the API server of a cluster. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { ClusterConfig as ClusterConfigKind } from '../../../src/apis/breakglass/cluster-config.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { isFailure } from '../../../src/core/failure.ts'
import type { Log } from '../../../src/core/log.ts'
import { createLog } from '../../../src/core/log.ts'
import { pinSecret, spokeAnnotations } from '../../../src/fleet/spoke/names.ts'
import { anAuthority } from '../../../src/fleet/spoke/trust/testing/tls-server.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { Authority } from '../../../src/pki/index.ts'
import { compactFingerprint, fingerprintOf } from '../../../src/pki/index.ts'
import { uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { startIssuer } from '../../support/issuer.ts'
import { lanyard } from '../../support/lanyard.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TlsFront } from '../../support/tls-front.ts'
import { startTlsFront } from '../../support/tls-front.ts'

type OidcAuth = Partial<NonNullable<ClusterConfig['spec']['oidcAuth']>>

describe('trust in the API servers of clusters', needsControlPlane, () => {
  const suite = suiteScope()
  const clock = new FakeClock(new Date())
  const lines: string[] = []
  const log: Log = createLog({ destination: { write: (line) => lines.push(line) } })
  const roots: string[] = []
  let issuer: TestIssuer
  let plane: OwnControlPlane
  let scene: ReachScene
  let clientSecret: string
  before(async () => {
    issuer = await startIssuer(suite)
    plane = await startControlPlane(suite, { oidc: issuer.trust() })
    // What a change of the certificate interrupts is not to open the breaker: that is tested elsewhere.
    scene = await reachScene(suite, plane, { clock, log, roots: () => roots, spokes: { breaker: undefined } })
    clientSecret = await scene.secret({ 'client-secret': issuer.clientSecret })
  })

  const authority = (name = uniqueName('ca')): Promise<Authority> => anAuthority(name, systemClock)
  const aConfig = (front: TlsFront, more: OidcAuth = {}, name?: string): Promise<string> =>
    scene.config({ oidcAuth: { ...issuer.auth(front.url), clientSecretRef: scene.ref(clientSecret), ...more } }, name)
  /** A cluster with a private CA. */
  async function aCluster(t: TestContext, more: OidcAuth = {}) {
    const ca = await authority()
    const front = await startTlsFront(t, plane, ca)
    return { ca, front, name: await aConfig(front, more) }
  }
  const secretNamed = (name: string) => scene.admin.of(secrets, scene.namespace).find(name)
  const pinOf = (name: string) => secretNamed(pinSecret(name))
  const kept = async (name: string, key = 'ca.crt') =>
    Buffer.from((await secretNamed(name))?.data?.[key] ?? '', 'base64').toString()
  const tlsOf = async (name: string) => (await scene.find(name))?.status?.tls
  const annotate = (name: string, key: string, value: string) =>
    scene.admin
      .of(ClusterConfigKind.resource, scene.namespace)
      .patch(name, { type: 'merge', body: { metadata: { annotations: { [key]: value } } } })
  const confirm = (name: string, ca: Authority) =>
    annotate(name, spokeAnnotations.trustedFingerprint, fingerprintOf(ca.certPem))
  /** What is tried again is tried by the clock of the scene, which has to move for it. */
  async function moving<T>(happening: Promise<T>): Promise<T> {
    const over = happening.then(
      () => true,
      () => true,
    )
    while (!(await Promise.race([over, delay(10, false)]))) await clock.advance('50ms')
    return happening
  }
  const call = (name: string) => moving(scene.spokes.open(name).then(({ kube }) => kube.request({ path: '/version' })))
  const cli = (t: TestContext, ...args: string[]) =>
    moving(lanyard(t, ['reach', 'trust', ...args, '--kubeconfig', plane.adminKubeconfigPath]).ended)
  /** A connection counts as a look until its first byte: one that has just begun is none for long. */
  const looksAre = (front: TlsFront, most: number) =>
    eventually('nobody else has looked', () => front.looks, { until: (looks) => looks <= most })
  const happened = (name: string, reason: string) =>
    eventually(`there is an event ${reason}`, async () => (await scene.events(name, reason)).length > 0)

  test('A28: a private CA is captured on first use, logged, kept in a Secret, and verified from then on', async (t) => {
    const { ca, front, name } = await aCluster(t)
    const fingerprint = fingerprintOf(ca.certPem)
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.deepEqual(await tlsOf(name), { source: 'FirstUse', fingerprint })
    assert.equal(await kept(pinSecret(name)), ca.certPem)
    assert.equal((await pinOf(name))?.metadata.ownerReferences?.[0]?.name, name)
    const told = lines.map((line) => JSON.parse(line)).find((line) => line.cluster === name && line.fingerprint)
    assert.deepEqual([told.level, told.fingerprint, told.subject], ['info', fingerprint, `CN=${told.subject.slice(3)}`])
    assert.ok(told.issuer && told.notBefore && told.notAfter)
    await happened(name, 'CATrustedOnFirstUse')
    // Verified from then on: whoever has another certificate gets nothing, not even where the name is right.
    await looksAre(front, 1)
    await call(name)
    await front.show(await authority())
    const before = front.received
    await assert.rejects(call(name), { code: 'KUBE_UNTRUSTED' })
    assert.equal(front.received, before)
    await front.show(ca)
    await call(name)
  })

  test('A29: what the system vouches for is accepted, and nothing is kept', async (t) => {
    const ca = await authority()
    roots.push(ca.certPem)
    const front = await startTlsFront(t, plane, ca)
    await front.show(ca, { alone: true })
    const name = await aConfig(front)
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.deepEqual(await tlsOf(name), { source: 'System' })
    await call(name)
    assert.equal(await pinOf(name), undefined)
    // And whoever answers there later without being vouched for is no first use.
    await front.show(await authority())
    await scene.asked(name)
    await scene.reaches(name, 'False', 'ClusterUnreachable')
    await scene.stop()
    scene.start()
    await scene.reaches(name, 'False', 'ClusterUnreachable')
    assert.equal(await pinOf(name), undefined)
  })

  test('A30: a restart reads back what is kept and looks at nobody; another CA is refused, and nothing is changed', async (t) => {
    const { ca, front, name } = await aCluster(t)
    await scene.reaches(name, 'True')
    const pinned = await pinOf(name)
    await looksAre(front, 1)
    await scene.stop()
    scene.start()
    await scene.asked(name)
    await call(name)
    assert.deepEqual((await scene.spokes.open(name)).trust.source, 'FirstUse')
    await looksAre(front, 1)

    const other = await authority()
    await front.show(other)
    const received = front.received
    await scene.asked(name)
    const ready = await scene.reaches(name, 'False', 'TOFUFailed')
    const [fingerprint, offeredFingerprint] = [fingerprintOf(ca.certPem), fingerprintOf(other.certPem)]
    for (const part of [fingerprint, `lanyard reach trust ${name} --fingerprint ${offeredFingerprint}`])
      assert.ok(ready.message.includes(part), ready.message)
    assert.deepEqual(await tlsOf(name), { source: 'FirstUse', fingerprint, offeredFingerprint })
    assert.deepEqual(await pinOf(name), pinned)
    assert.equal(front.received, received)
    // A restart is no way around it.
    await scene.stop()
    scene.start()
    await scene.asked(name)
    await assert.rejects(call(name), { code: 'KUBE_UNTRUSTED' })
    await scene.reaches(name, 'False', 'TOFUFailed')
    assert.deepEqual(await pinOf(name), pinned)
  })

  test('another CA is trusted once a person has confirmed its fingerprint', async (t) => {
    const { front, name } = await aCluster(t)
    await scene.reaches(name, 'True')
    const [other, third] = [await authority(), await authority()]
    await front.show(other)
    await scene.asked(name)
    await scene.reaches(name, 'False', 'TOFUFailed')
    await confirm(name, third)
    await scene.asked(name)
    await scene.reaches(name, 'False', 'TOFUFailed')
    assert.notEqual(await kept(pinSecret(name)), other.certPem)

    await confirm(name, other)
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.deepEqual(await tlsOf(name), { source: 'FirstUse', fingerprint: fingerprintOf(other.certPem) })
    assert.equal(await kept(pinSecret(name)), other.certPem)
    const left = (await scene.find(name))?.metadata.annotations?.[spokeAnnotations.trustedFingerprint]
    assert.equal(left, undefined)
    await happened(name, 'CAReplaced')
    await call(name)
  })

  test('a new CA may be confirmed before the cluster shows it', async (t) => {
    const { front, name } = await aCluster(t)
    await scene.reaches(name, 'True')
    const next = await authority()
    await confirm(name, next)
    await scene.asked(name)
    await call(name)
    await front.show(next)
    // The first look is refused, and finds out why; the next one trusts.
    await scene.asked(name)
    await scene.asked(name)
    assert.equal((await tlsOf(name))?.fingerprint, fingerprintOf(next.certPem))
    await scene.reaches(name, 'True')
  })

  test('A31: a wrong name, a past date and a handshake without end are TOFUFailed, and nothing is kept', async (t) => {
    const { ca, front, name } = await aCluster(t, { allowTOFU: false })
    await scene.reaches(name, 'False', 'ClusterUnreachable')
    const past = { notBefore: new Date(Date.now() - 7_200_000), notAfter: new Date(Date.now() - 3_600_000) }
    for (const [changes, why] of [
      [{ ipAddresses: ['10.0.0.1'], dnsNames: ['localhost'] }, /HostnameMismatch/],
      [past, /CertificateExpired/],
    ] as const) {
      await front.show(ca, changes as { dnsNames?: string[] })
      const refused = await aConfig(front)
      const { message } = await scene.reaches(refused, 'False', 'TOFUFailed')
      assert.match(message, why)
      assert.equal(await pinOf(refused), undefined)
      assert.equal(front.received, 0)
    }

    await front.show(ca)
    front.stall()
    const seen = front.accepted
    const waiting = await aConfig(front)
    await eventually('it is dialled', () => front.accepted > seen)
    await clock.settle(50)
    await clock.advance('4.5s')
    assert.equal(await scene.condition(waiting, 'Ready'), undefined)
    await clock.advance('0.6s')
    await scene.reaches(waiting, 'False', 'TOFUFailed')
    assert.equal(await pinOf(waiting), undefined)
    front.stall(false)
    await scene.asked(waiting)
    await scene.reaches(waiting, 'True', 'OIDCValidated')
  })

  test('A32: caSecretRef without a key means ca.crt, to read and to write; with a key only that one', async (t) => {
    const { ca, front, name: first } = await aCluster(t)
    await scene.reaches(first, 'True')
    const other = await authority()
    const named = async (texts: Record<string, string>, key?: string) => {
      const secret = await scene.secret(texts)
      return { secret, name: await aConfig(front, { caSecretRef: scene.ref(secret, key) }) }
    }
    const [reads, writes, readsKey, writesKey] = [
      await named({ 'ca.crt': ca.certPem }),
      await named({ note: 'mine' }),
      await named({ 'ca.crt': other.certPem, 'west.crt': ca.certPem }, 'west.crt'),
      await named({ 'ca.crt': other.certPem }, 'west.crt'),
    ]
    for (const { name } of [reads, writes, readsKey, writesKey]) await scene.reaches(name, 'True', 'OIDCValidated')
    const sources = await Promise.all([reads, writes, readsKey, writesKey].map(({ name }) => tlsOf(name)))
    assert.deepEqual(
      sources.map((tls) => tls?.source),
      ['Secret', 'FirstUse', 'Secret', 'FirstUse'],
    )
    assert.equal(await kept(writes.secret), ca.certPem)
    assert.equal(await kept(writes.secret, 'note'), 'mine')
    assert.equal(await kept(writesKey.secret, 'west.crt'), ca.certPem)
    assert.equal(await kept(writesKey.secret, 'ca.crt'), other.certPem)
    for (const { name } of [reads, writes, readsKey, writesKey]) assert.equal(await pinOf(name), undefined)

    const missing = await aConfig(front, { caSecretRef: scene.ref(uniqueName('none')) })
    await scene.reaches(missing, 'False', 'OIDCCASecretMissing')
  })

  test('where first use is not allowed nobody is trusted unseen, and the message says what to do', async (t) => {
    const { ca, front, name } = await aCluster(t, { allowTOFU: false })
    const { message } = await scene.reaches(name, 'False', 'ClusterUnreachable')
    const offeredFingerprint = fingerprintOf(ca.certPem)
    assert.match(message, /caSecretRef/)
    assert.ok(message.includes(`lanyard reach trust ${name} --fingerprint ${offeredFingerprint}`), message)
    assert.deepEqual(await tlsOf(name), { source: 'System', offeredFingerprint })
    assert.deepEqual([await pinOf(name), front.received], [undefined, 0])
    await confirm(name, ca)
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.deepEqual(await tlsOf(name), { source: 'FirstUse', fingerprint: offeredFingerprint })
  })

  test('two hubs that meet a cluster at the same time keep one CA, and both use it', async (t) => {
    const ca = await authority()
    const front = await startTlsFront(t, plane, ca)
    const name = uniqueName('cluster')
    const meeting = Promise.withResolvers<void>()
    let arrived = 0
    /** Nobody writes before both have looked. */
    const together = (kube: Kube): Kube => ({
      request: (request) => kube.request(request),
      of: (resource, namespace) => {
        const collection = kube.of(resource, namespace)
        if ((resource as { kind: string }).kind !== 'Secret') return collection
        const create: typeof collection.create = async (object, options) => {
          if (object.metadata?.name !== pinSecret(name)) return collection.create(object, options)
          arrived += 1
          if (arrived === 2) meeting.resolve()
          await meeting.promise
          return collection.create(object, options)
        }
        return new Proxy(collection, {
          get: (target, property) => {
            const value = property === 'create' ? create : Reflect.get(target, property, target)
            return typeof value === 'function' ? value.bind(target) : value
          },
        })
      },
    })
    await scene.stop()
    t.after(() => scene.start())
    const hubs = [
      await reachScene(t, plane, { clock, hub: together(scene.admin), roots: () => [] }),
      await reachScene(t, plane, { clock, hub: together(scene.admin), roots: () => [] }),
    ]
    await aConfig(front, {}, name)
    const opened = async (hub: ReachScene) => {
      await eventually('the hub has heard of it', () => hub.spokes.open(name).then(() => true, isKnown))
      return hub.spokes.open(name)
    }
    const isKnown = (error: unknown) => !isFailure(error, 'SPOKE_UNKNOWN')
    const spokes = await Promise.all(hubs.map(opened))
    assert.deepEqual(
      spokes.map(({ trust }) => trust.fingerprint),
      [fingerprintOf(ca.certPem), fingerprintOf(ca.certPem)],
    )
    for (const { kube } of spokes) await kube.request({ path: '/version' })
    assert.equal(await kept(pinSecret(name)), ca.certPem)
    assert.equal(arrived, 2)
    await scene.reaches(name, 'True', 'OIDCValidated')
  })

  test('a hub that is killed once the CA is kept goes on with it, and does not look again', async (t) => {
    const ca = await authority()
    const front = await startTlsFront(t, plane, ca)
    await scene.stop()
    t.after(() => scene.start())
    let isKilled = false
    const hub = await reachScene(t, plane, {
      clock,
      roots: () => [],
      checkpoint(reached) {
        if (reached !== 'reach-trust.pinned' || isKilled) return
        isKilled = true
        throw new Error('killed')
      },
    })
    const name = await aConfig(front)
    await eventually('it is killed', () => isKilled)
    await hub.stop()
    assert.equal(await kept(pinSecret(name)), ca.certPem)
    const { looks } = front
    hub.start()
    await scene.reaches(name, 'True', 'OIDCValidated')
    await looksAre(front, looks)
  })

  test('people see whom the hub trusts, and confirm another CA, on the command line', async (t) => {
    const { ca, front, name } = await aCluster(t)
    await scene.reaches(name, 'True')
    const other = await authority()
    const [fingerprint, offered] = [fingerprintOf(ca.certPem), fingerprintOf(other.certPem)]
    await front.show(other)
    await scene.asked(name)
    const shown = await cli(t, name, '-o', 'json')
    assert.equal(shown.code, 0, shown.err)
    const { message, ...found } = JSON.parse(shown.out)
    assert.ok(message.includes(offered))
    assert.deepEqual(found, {
      ...{ cluster: name, namespace: scene.namespace, server: front.url, ready: 'False', reason: 'TOFUFailed' },
      ...{ source: 'FirstUse', fingerprint, offered },
    })
    const third = await cli(t, name, '--fingerprint', 'ab'.repeat(32))
    assert.notEqual(third.code, 0)
    assert.ok(third.err.includes(offered) && third.err.includes('REACH_OTHER_CA'), third.err)
    assert.equal(await kept(pinSecret(name)), ca.certPem)
    const confirmed = await cli(t, name, '--fingerprint', compactFingerprint(offered))
    assert.equal(confirmed.code, 0, confirmed.err)
    assert.match(confirmed.out, new RegExp(`the hub trusts the CA of ${name}[^]*Ready is True: OIDCValidated`))
    assert.deepEqual(await tlsOf(name), { source: 'FirstUse', fingerprint: offered })
  })

  test('a Secret that is deleted is kept again for the same CA; another one needs a person all the same', async (t) => {
    const { ca, front, name } = await aCluster(t)
    await scene.reaches(name, 'True')
    const lose = () => scene.admin.of(secrets, scene.namespace).delete(pinSecret(name))
    await lose()
    await eventually('it is kept again', async () => (await kept(pinSecret(name))) === ca.certPem)
    await scene.asked(name)
    assert.equal((await scene.events(name, 'CATrustedOnFirstUse')).length, 1)

    const other = await authority()
    await scene.stop()
    await front.show(other)
    await lose()
    scene.start()
    await scene.asked(name)
    await scene.reaches(name, 'False', 'TOFUFailed')
    // What else changes meanwhile does not make it forgotten.
    await scene.change(name, { spec: { oidcAuth: { audience: 'other' } } })
    await scene.asked(name)
    await scene.reaches(name, 'False', 'TOFUFailed')
    const [fingerprint, offeredFingerprint] = [fingerprintOf(ca.certPem), fingerprintOf(other.certPem)]
    assert.deepEqual(await tlsOf(name), { source: 'FirstUse', fingerprint, offeredFingerprint })
    assert.equal(await pinOf(name), undefined)
    await confirm(name, other)
    await eventually('it is kept', async () => (await kept(pinSecret(name))) === other.certPem)
    await happened(name, 'CAReplaced')
  })

  test('a look from elsewhere changes nothing on the hub, and uses nothing up', async (t) => {
    await scene.stop()
    t.after(() => scene.start())
    const { ca, name } = await aCluster(t, { allowTOFU: true })
    const here = (cluster: string) =>
      lanyard(t, ['reach', 'check', cluster, '--here', '--kubeconfig', plane.adminKubeconfigPath]).ended
    const first = await here(name)
    assert.equal(first.code, 1, first.out)
    assert.match(first.err, new RegExp(`TOFUFailed.*${fingerprintOf(ca.certPem)}.*only a look`))
    assert.equal(await pinOf(name), undefined)

    scene.start()
    await scene.reaches(name, 'True')
    await scene.stop()
    await confirm(name, ca)
    const before = [await pinOf(name), await scene.find(name)]
    const second = await here(name)
    assert.equal(second.code, 0, second.err)
    assert.deepEqual([await pinOf(name), await scene.find(name)], before)

    const refreshTokenSecretRef = scene.ref(await scene.secret({ token: 'good-once' }))
    const { name: rotating } = await aCluster(t, { refreshTokenSecretRef, rotatedRefreshTokenKey: 'next' })
    const third = await here(rotating)
    assert.deepEqual([third.code, third.err.includes('REACH_HERE_SPENDS')], [1, true], third.err)
    assert.deepEqual(issuer.requestsOf('refresh_token'), [])
  })

  test('the CA goes with its ClusterConfig', async (t) => {
    const { name } = await aCluster(t)
    await scene.reaches(name, 'True')
    await scene.admin.of(ClusterConfigKind.resource, scene.namespace).delete(name)
    await eventually('it is gone', async () => (await pinOf(name)) === undefined)
  })
})
