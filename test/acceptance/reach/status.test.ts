/** How a ClusterConfig tells whether its cluster can be got into, and when it does. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { kubeconfigOf } from '../../support/control-plane/access.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { startIssuer, startScriptedIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { kubeconfigFor } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the status of ClusterConfigs', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  let timed: TimedPlane
  let scene: ReachScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await reachScene(suite, timed.plane, { clock: timed.clock, metrics: await metrics })
    // It follows all that it has to: a list that failed because its kind was new is tried again by the clock.
    await scene.reaches((await scene.byKubeconfig()).cluster, 'True')
  })
  const event = (cluster: string, reason: string, message = /./) =>
    eventually(`${cluster} has an event ${reason}`, async () =>
      (await scene.events(cluster, reason)).find((found) => message.test(found.message ?? '')),
    )
  /** Clients that were made so far. */
  const opens = async () =>
    /^lanyard_spoke_opens_total\{result="opened"\} (\d+)$/m.exec(await (await metrics).text())?.[1]
  const byKey = async (texts: Record<string, string>, key?: string) =>
    scene.config({ kubeconfigSecretRef: scene.ref(await scene.secret(texts), key) })

  test('A9: a kubeconfig that works makes it Ready, of this very generation, with an event', async () => {
    const { cluster } = await scene.byKubeconfig()
    const ready = await scene.reaches(cluster, 'True', 'KubeconfigValidated')
    const { metadata, status } = (await scene.find(cluster)) ?? assert.fail()
    assert.deepEqual([ready.observedGeneration, status?.observedGeneration], [metadata.generation, metadata.generation])
    assert.equal((await event(cluster, 'ClusterConfigValidationSucceeded')).type, 'Normal')

    await scene.change(cluster, { spec: { tenant: 'blue' } })
    await eventually('the status speaks of the next generation', async () => {
      const found = await scene.find(cluster)
      return found?.metadata.generation === 2 && found.status?.observedGeneration === 2
    })
  })

  test('A10: without its Secret it is not, and a Warning says so', async () => {
    const cluster = await scene.config({ kubeconfigSecretRef: scene.ref(uniqueName('absent')) })
    const { message } = await scene.reaches(cluster, 'False', 'SecretMissing')
    assert.match(message, /spec\.kubeconfigSecretRef.*absent-/)
    assert.equal((await event(cluster, 'ClusterConfigValidationFailed', /^SecretMissing/)).type, 'Warning')
  })

  test('A11: a Secret without the key is told apart from no Secret', async () => {
    const cluster = await byKey({ other: timed.plane.kubeconfig() })
    const { message } = await scene.reaches(cluster, 'False', 'SecretKeyMissing')
    assert.match(message, /has no key value/)
    const seen = await scene.events(cluster)
    assert.ok(!seen.some((found) => found.message?.includes('SecretMissing')))
  })

  test('A12: what is no kubeconfig is told as such', async () => {
    const outside = kubeconfigFor('https://127.0.0.1:1', timed.plane.caPem).replace(
      'token: some-token',
      'tokenFile: /etc/passwd',
    )
    for (const text of ['{ not: [yaml', 'apiVersion: v1\nkind: Config\n', 'just words', outside]) {
      const cluster = await byKey({ value: text })
      await scene.reaches(cluster, 'False', 'KubeconfigParseFailed')
    }

    // PEM is told by what a TLS library makes of it: a key beside the certificate is no fault.
    const { plane } = timed
    const { certPem, keyPem } = plane.admin
    const noCertificate = '-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n'
    const made = (caPem: string, ownPem: string) =>
      kubeconfigOf({ url: plane.url, caPem }, { certificate: { certPem: ownPem, keyPem } })
    const key = keyPem.reveal()
    for (const text of [made(plane.caPem, certPem + key), made(key + plane.caPem, key + certPem)])
      await scene.reaches(await byKey({ value: text }), 'True', 'KubeconfigValidated')
    for (const text of [made(noCertificate + plane.caPem, certPem), made(plane.caPem, noCertificate)])
      await scene.reaches(await byKey({ value: text }), 'False', 'KubeconfigParseFailed')
  })

  test('A13: a closed port is told as unreachable within ten seconds, and so is one that never answers', async (t) => {
    const { clock } = timed
    const silent = await startFaultProxy(t, timed.plane.url)
    silent.halfOpen()
    for (const url of [`https://127.0.0.1:${await closedPort()}`, silent.url]) {
      const before = await opens()
      const { cluster } = await scene.byKubeconfig(kubeconfigFor(url, timed.plane.caPem))
      if (url === silent.url) await eventually('it is dialled', () => silent.connections > 0, { clock: 'stands' })
      else await eventually('the look begins', async () => (await opens()) !== before, { clock: 'stands' })
      // Ten seconds at most: it is stopped where it is told.
      const isTold = async () => (await scene.condition(cluster, 'Ready'))?.reason === 'ClusterUnreachable'
      for (let step = 0; step < 99 && !(await isTold()); step += 1) await clock.advance(100)
      await scene.reachesAtOnce(cluster, 'False', 'ClusterUnreachable')
    }
  })

  test('A14: the key that is named is the one that is read', async () => {
    const good = timed.plane.kubeconfig()
    const cluster = await byKey({ value: 'no kubeconfig', kc2: good }, 'kc2')
    await scene.reaches(cluster, 'True', 'KubeconfigValidated')
    assert.equal((await scene.find(cluster))?.status?.server, timed.plane.url)
    const other = await byKey({ value: good, kc2: 'no kubeconfig' }, 'kc2')
    await scene.reaches(other, 'False', 'KubeconfigParseFailed')
  })

  test('A15: the old key is taken where none is named, with a Warning that names the new one; a named key is not replaced', async () => {
    const good = timed.plane.kubeconfig()
    const cluster = await byKey({ kubeconfig: good })
    await scene.reaches(cluster, 'True', 'KubeconfigValidated')
    const warning = await event(cluster, 'SecretKeyDeprecated', /\bvalue\b/)
    assert.equal(warning.type, 'Warning')
    const named = await byKey({ kubeconfig: good, value: good }, 'kc2')
    await scene.reaches(named, 'False', 'SecretKeyMissing')
  })

  test('A16: what is new or edited shows at once, while the clock stands still', async () => {
    const { clock } = timed
    const startedAt = clock.now().getTime()
    const secret = uniqueName('kubeconfig')
    const cluster = await scene.config({ kubeconfigSecretRef: scene.ref(secret) })
    await scene.reachesAtOnce(cluster, 'False', 'SecretMissing')
    await scene.secret({ value: 'no kubeconfig' }, secret)
    await scene.reachesAtOnce(cluster, 'False', 'KubeconfigParseFailed')
    await scene.secret({ value: timed.plane.kubeconfig() }, secret)
    await scene.reachesAtOnce(cluster, 'True')
    await scene.removeSecret(secret)
    await scene.reachesAtOnce(cluster, 'False', 'SecretMissing')
    const other = await scene.secret({ value: timed.plane.kubeconfig() })
    await scene.change(cluster, { spec: { kubeconfigSecretRef: scene.ref(other) } })
    await scene.reachesAtOnce(cluster, 'True')
    assert.equal(clock.now().getTime(), startedAt)
  })

  test('A18: authType OIDC without any OIDC is told as that', async () => {
    const cluster = await scene.config({ authType: 'OIDC' })
    await scene.reaches(cluster, 'False', 'OIDCConfigMissing')
  })

  test('A19: no discovery, a wrong client secret and no CA are told apart', async (t) => {
    const secret = await scene.secret({ 'client-secret': 'wrong' })
    const to = (auth: ReturnType<Awaited<ReturnType<typeof startIssuer>>['auth']>, more = {}) =>
      scene.config({ oidcAuth: { ...auth, clientSecretRef: scene.ref(secret), ...more } })
    const { url } = timed.plane
    const lost = await startScriptedIssuer(t)
    lost.discovery = { status: 404 }
    const refusing = await startFaultProxy(t, lost.issuer)
    refusing.refuse()
    const correct = await startIssuer(t)

    await scene.reaches(await to(lost.auth(url)), 'False', 'OIDCDiscoveryFailed')
    const refused = { ...lost.auth(url), issuerURL: refusing.url }
    await scene.reaches(await to(refused), 'False', 'OIDCDiscoveryFailed')
    assert.equal(lost.requests.length, 0, 'no credentials were sent')
    await scene.reaches(await to(correct.auth(url)), 'False', 'OIDCTokenFetchFailed')
    assert.ok(correct.requestsOf('client_credentials').length > 0)
    const absent = { caSecretRef: scene.ref(uniqueName('absent')) }
    await scene.reaches(await to(correct.auth(url), absent), 'False', 'OIDCCASecretMissing')
  })

  test('a Secret that only the IdentityProvider names counts as well, at once', async (t) => {
    const { clock, plane } = timed
    const { issuer: authority, caPem: certificateAuthority, clientId: clientID, clientSecret } = await startIssuer(t)
    const secret = await scene.secret({ 'client-secret': 'wrong' })
    const name = await scene.provider({
      oidc: { authority, clientID, certificateAuthority },
      groupSyncProvider: 'Keycloak',
      keycloak: { baseURL: authority, realm: 'fleet', clientID, clientSecretRef: scene.ref(secret) },
    })
    const cluster = await scene.config({ oidcFromIdentityProvider: { name, server: plane.url } })
    await scene.reaches(cluster, 'False', 'OIDCTokenFetchFailed')
    const startedAt = clock.now().getTime()
    await scene.secret({ 'client-secret': clientSecret }, secret)
    // There is a token now, from an issuer that this cluster does not know.
    await scene.reachesAtOnce(cluster, 'False', 'ClusterUnreachable')
    assert.equal(clock.now().getTime(), startedAt)
  })

  test('A72: a list of them shows NAME, READY and AGE, and more on request', async () => {
    const secret = await scene.secret({ value: timed.plane.kubeconfig() })
    const cluster = await scene.config({ tenant: 'blue', clusterID: 'b-1', kubeconfigSecretRef: scene.ref(secret) })
    await scene.reaches(cluster, 'True')
    const path = `/apis/breakglass.t-caas.telekom.com/v1alpha1/namespaces/${scene.namespace}/clusterconfigs`
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const table = await scene.admin.request<Table>({ path, accept })
    const shown = (most: number) => table.columnDefinitions.filter(({ priority }) => priority <= most)
    assert.deepEqual(
      shown(0).map(({ name }) => name),
      ['Name', 'Ready', 'Age'],
    )
    const row = table.rows.find(({ cells: [name] }) => name === cluster) ?? assert.fail()
    const wide = Object.fromEntries(table.columnDefinitions.map(({ name }, index) => [name, row.cells[index]]))
    const fingerprint = (await scene.find(cluster))?.status?.tls?.fingerprint
    assert.match(fingerprint ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    const { Ready, Tenant, ClusterID, Fingerprint } = wide
    assert.deepEqual([Ready, Tenant, ClusterID, Fingerprint], ['True', 'blue', 'b-1', fingerprint])
    assert.ok(wide['Age'])
  })

  test('two of one name are both out of use until one of them goes', async () => {
    const name = uniqueName('twin')
    const { secret } = await scene.byKubeconfig(undefined, name)
    await scene.reaches(name, 'True')
    const elsewhere = uniqueName('elsewhere')
    await scene.admin.of(namespaces).create(aNamespace(elsewhere))
    const others = scene.admin.of(ClusterConfig.resource, elsewhere)
    await others.create({ metadata: { name }, spec: { kubeconfigSecretRef: scene.ref(secret) } })
    const { message } = await scene.reaches(name, 'False', 'ValidationFailed')
    for (const namespace of [scene.namespace, elsewhere]) assert.ok(message.includes(namespace), message)
    await eventually('the other one says so too', async () =>
      (await others.get(name)).status?.conditions?.some(({ reason }) => reason === 'ValidationFailed'),
    )
    await others.delete(name)
    await scene.reaches(name, 'True', 'KubeconfigValidated')
  })

  test('a request for a look is answered, also where nothing is other than before', async () => {
    const { cluster } = await scene.byKubeconfig()
    const before = await scene.reaches(cluster, 'True')
    const { status } = await scene.asked(cluster)
    assert.deepEqual(
      status?.conditions?.find(({ type }) => type === 'Ready'),
      before,
    )
  })

  test('what nobody tells the hub it finds within the interval, and that it is over soon after', async (t) => {
    const { clock } = timed
    const front = await startFaultProxy(t, timed.plane.url)
    const { admin: certificate, caPem } = timed.plane
    const { cluster } = await scene.byKubeconfig(kubeconfigOf({ url: front.url, caPem }, { certificate }))
    await scene.reaches(cluster, 'True')
    /** Time goes on in steps until it is so, at most so long, and stands while a call is under way. */
    const within = async (mostMs: number, stepMs: number, status: 'True' | 'False') => {
      const isSo = async () => (await scene.condition(cluster, 'Ready'))?.status === status
      for (let ms = 0; ms < mostMs && !(await isSo()); ms += stepMs) {
        await clock.advance(stepMs)
        await delay(25)
        const since = performance.now()
        while (front.connections > 0 && performance.now() - since < 2_000 && !(await isSo())) await delay(25)
      }
      await scene.reachesAtOnce(cluster, status)
    }

    front.refuse()
    front.resetAll()
    await within(620_000, 5_000, 'False')
    front.heal()
    await within(150_000, 1_000, 'True')
  })
})

interface Table {
  columnDefinitions: { name: string; priority: number }[]
  rows: { cells: unknown[] }[]
}

/** One that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
