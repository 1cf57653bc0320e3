/** Where a hub connects to when users name the address, and what it tells of the answers it gets there. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { egressRules, everywhere } from '../../../src/core/egress.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { startCountingListener } from '../../support/counting-listener.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { startIssuer, startScriptedIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { startSpokeStandIn } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const pod = egressRules(everywhere, { inPod: true })

describe('addresses that users name', needsControlPlane, () => {
  const suite = suiteScope()
  let issuer: TestIssuer
  let plane: OwnControlPlane
  let scene: ReachScene
  before(async () => {
    issuer = await startIssuer(suite)
    plane = await startControlPlane(suite, { oidc: issuer.trust() })
    // A hub in a pod, but for loopback addresses, which it would take for its own cluster.
    scene = await reachScene(suite, plane, {
      reach: { retryMs: { first: 200, most: 1_000 } },
      spokes: { egress: pod },
    })
  })

  const clientSecretRef = async () => scene.ref(await scene.secret({ 'client-secret': issuer.clientSecret }))
  const kubeconfigWith = (cluster: object) => {
    const config = parse(plane.kubeconfig())
    Object.assign(config.clusters[0].cluster, cluster)
    return stringify(config)
  }
  const denied = async (cluster: string, host: string) => {
    const { message } = await scene.reaches(cluster, 'False', 'EgressDenied')
    assert.match(message, /the setting reach\.egress does not let the hub connect to /)
    assert.ok(message.includes(` ${host};`), message)
  }

  test('F11: a hub in a pod connects to no address local to it that a ClusterConfig leads to, until that is allowed', async (t) => {
    const listener = await startCountingListener(t)
    const at = (host: string) => `https://${host}:${listener.port}`
    const secret = await clientSecretRef()
    const byServer = await scene.config({ oidcAuth: { ...issuer.auth(at('localhost')), clientSecretRef: secret } })
    await denied(byServer, 'localhost')
    const mapped = await scene.byKubeconfig(kubeconfigWith({ server: at('[::ffff:127.0.0.1]') }))
    await denied(mapped.cluster, '::ffff:7f00:1')
    const metadata = await scene.byKubeconfig(kubeconfigWith({ server: 'https://169.254.169.254' }))
    await denied(metadata.cluster, '169.254.169.254')
    const byProxy = { server: 'https://10.255.255.1:6443', 'proxy-url': `http://127.0.0.1:${listener.port}` }
    await denied((await scene.byKubeconfig(kubeconfigWith(byProxy))).cluster, '127.0.0.1')
    // The server itself is not asked before the issuer has given a token, and its CA needs no look.
    const trusted = { caSecretRef: scene.ref(await scene.secret({ 'ca.crt': plane.caPem })), clientSecretRef: secret }
    const byIssuer = await scene.config({ oidcAuth: { ...issuer.auth('https://10.255.255.1:6443'), ...trusted } })
    await denied(byIssuer, '127.0.0.1')
    assert.equal(listener.connections, 0)
    const told = await eventually('a Warning tells it', async () =>
      (await scene.events(byServer, 'ClusterConfigValidationFailed')).find(({ type }) => type === 'Warning'),
    )
    assert.match(told.message ?? '', /^EgressDenied: /)

    // What is read again with lanyard.yaml counts for clusters that are open, both ways.
    const good = await scene.config({ oidcAuth: { ...issuer.auth(plane.url), clientSecretRef: secret } })
    await denied(good, '127.0.0.1')
    scene.settings.egress = egressRules({ allowed: ['127.0.0.1/32', '0.0.0.0/0'], denied: [] }, { inPod: true })
    await scene.reaches(good, 'True')
    scene.settings.egress = pod
    await scene.asked(good)
    await denied(good, '127.0.0.1')
  })

  test('F11i: behind a proxy that may be connected to, the server is checked as well', async (t) => {
    const proxy = await startConnectProxy(t, plane.url)
    const behind = (server: string) =>
      scene.byKubeconfig(kubeconfigWith({ server, 'proxy-url': proxy.url, 'tls-server-name': '127.0.0.1' }))
    scene.settings.egress = { allowed: [], denied: ['127.0.0.2/32', '169.254.0.0/16'] }
    t.after(() => {
      scene.settings.egress = pod
    })
    for (const host of ['127.0.0.2', '169.254.169.254'])
      await denied((await behind(`https://${host}:6443`)).cluster, host)
    assert.equal(proxy.asked.length, 0)
    const { cluster } = await behind('https://nowhere.invalid:6443')
    await scene.reaches(cluster, 'True')
    assert.ok(proxy.asked.includes('nowhere.invalid:6443'))
  })

  test('F11j: an IdentityProvider is asked only where the hub may connect to', async (t) => {
    const provider = await scene.provider({
      oidc: { authority: issuer.issuer, certificateAuthority: issuer.caPem, clientID: issuer.clientId },
    })
    const ready = (reason: string) =>
      eventually(`${provider} is told ${reason}`, async () => {
        const { status } = await scene.admin.of(IdentityProvider.resource).get(provider)
        const found = findCondition(status?.conditions as Condition[] | undefined, 'Ready')
        return found?.reason === reason ? found : undefined
      })
    assert.match((await ready('EgressDenied')).message, /reach\.egress/)
    scene.settings.egress = everywhere
    t.after(() => {
      scene.settings.egress = pod
    })
    await ready('ConfigReloadSuccess')
  })

  test('F11k: neither conditions nor events repeat what is said at such an address', async (t) => {
    scene.settings.egress = everywhere
    t.after(() => {
      scene.settings.egress = pod
    })
    const canary = 'canary-of-an-internal-page'
    const spoke = await startSpokeStandIn(t)
    spoke.answer = (_, response) => {
      response.writeHead(403, canary, { 'content-type': 'application/json', 'x-words': canary })
      response.end(JSON.stringify({ kind: 'Status', code: 403, reason: canary, message: canary }))
    }
    const byServer = (await scene.byKubeconfig(spoke.kubeconfig)).cluster
    const refusing = await startScriptedIssuer(t)
    refusing.answer = () => ({ status: 400, body: { error: canary, error_description: canary } })
    const auth = async (scripted: typeof refusing) => ({
      oidcAuth: { ...scripted.auth(plane.url), clientSecretRef: await clientSecretRef() },
    })
    const byIssuer = await scene.config(await auth(refusing))
    const pointing = await startScriptedIssuer(t)
    pointing.document = { ...pointing.document, issuer: canary, token_endpoint: `https://${canary}.invalid/token` }
    const byDocument = await scene.config(await auth(pointing))
    const moving = await startScriptedIssuer(t)
    moving.discovery = { status: 302, headers: { location: `https://${canary}.invalid/` } }
    const byRedirect = await scene.config(await auth(moving))
    for (const [cluster, reason] of [
      [byServer, 'ClusterUnreachable'],
      [byIssuer, 'OIDCTokenFetchFailed'],
      [byDocument, 'OIDCDiscoveryFailed'],
      [byRedirect, 'OIDCDiscoveryFailed'],
    ] as const) {
      await scene.reaches(cluster, 'False', reason)
      await eventually('a Warning tells it', async () => (await scene.events(cluster)).length > 0)
      assert.doesNotMatch(JSON.stringify([(await scene.find(cluster))?.status, await scene.events(cluster)]), /canary/)
    }
  })
})
