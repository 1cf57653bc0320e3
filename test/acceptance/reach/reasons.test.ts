/** Every reason why a cluster is not Ready: caused from outside, told, and gone with its cause while the hub goes on. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { before, describe, test } from 'node:test'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { everywhere } from '../../../src/core/egress.ts'
import { meanings } from '../../../src/core/reason.ts'
import { spokeReasons } from '../../../src/fleet/spoke/index.ts'
import { uniqueName } from '../../support/builders.ts'
import { kubeconfigOf } from '../../support/control-plane/access.ts'
import { issueForServer } from '../../support/control-plane/identities.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { startIssuer, startScriptedIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { onLoopback, startSpokeStandIn } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'

/** A cluster that cannot be got into for one reason, and what takes that reason away. */
interface Trouble {
  cluster: string
  end(): unknown
  /** Of the message. */
  says?: RegExp
}

describe('every reason comes with its cause and goes with it', needsControlPlane, () => {
  const suite = suiteScope()
  let issuer: TestIssuer
  let plane: OwnControlPlane
  let scene: ReachScene
  before(async () => {
    issuer = await startIssuer(suite)
    plane = await startControlPlane(suite, { oidc: issuer.trust() })
    scene = await reachScene(suite, plane, {
      reach: { retryMs: { first: 200, most: 1_000 } },
      spokes: { breaker: { failures: 3, openMs: 1_000 } },
    })
  })

  const clientSecret = () => scene.secret({ 'client-secret': issuer.clientSecret })
  const refreshToken = async () => {
    const token = await issuer.offlineToken({ client: issuer.clientId, audience: 'kubernetes' })
    return { token, text: token.reveal() }
  }

  const causes: Record<string, (t: TestContext) => Promise<Trouble>> = {
    async SecretMissing() {
      const { cluster, secret } = await scene.byKubeconfig()
      await scene.reaches(cluster, 'True')
      await scene.removeSecret(secret)
      return { cluster, end: () => scene.secret({ value: plane.kubeconfig() }, secret), says: /there is no Secret/ }
    },
    async SecretKeyMissing() {
      const { cluster, secret } = await scene.byKubeconfig()
      await scene.reaches(cluster, 'True')
      await scene.secret({ other: plane.kubeconfig() }, secret)
      return { cluster, end: () => scene.secret({ value: plane.kubeconfig() }, secret), says: /has no key value/ }
    },
    async KubeconfigParseFailed() {
      const { cluster, secret } = await scene.byKubeconfig()
      await scene.reaches(cluster, 'True')
      await scene.secret({ value: '{ not: [a kubeconfig' }, secret)
      return { cluster, end: () => scene.secret({ value: plane.kubeconfig() }, secret) }
    },
    async OIDCConfigMissing() {
      const { cluster, secret } = await scene.byKubeconfig()
      await scene.reaches(cluster, 'True')
      await scene.change(cluster, { spec: { authType: 'OIDC', kubeconfigSecretRef: null } })
      const back = { authType: 'Kubeconfig', kubeconfigSecretRef: scene.ref(secret) }
      return { cluster, end: () => scene.change(cluster, { spec: back }), says: /spec\.oidcAuth/ }
    },
    async OIDCDiscoveryFailed(t) {
      const spoke = await startSpokeStandIn(t)
      const lost = await startScriptedIssuer(t)
      lost.discovery = { status: 404 }
      const clientSecretRef = scene.ref(await clientSecret())
      const cluster = await scene.config({ oidcAuth: { ...lost.auth(spoke.url), clientSecretRef } })
      const end = () => {
        lost.discovery = undefined
      }
      return { cluster, end, says: /cannot be discovered/ }
    },
    async OIDCTokenFetchFailed() {
      const secret = await scene.secret({ 'client-secret': 'wrong' })
      const cluster = await scene.config({
        oidcAuth: { ...issuer.auth(plane.url), clientSecretRef: scene.ref(secret) },
      })
      return { cluster, end: () => scene.secret({ 'client-secret': issuer.clientSecret }, secret) }
    },
    async OIDCRefreshFailed() {
      const spoilt = await refreshToken()
      await issuer.revoke(spoilt.token)
      const secret = await scene.secret({ token: spoilt.text })
      const oidcAuth = {
        ...issuer.auth(plane.url),
        clientSecretRef: scene.ref(await clientSecret()),
        refreshTokenSecretRef: scene.ref(secret),
        fallbackPolicy: 'None' as const,
      }
      const cluster = await scene.config({ oidcAuth })
      return { cluster, end: async () => scene.secret({ token: (await refreshToken()).text }, secret) }
    },
    async OIDCCASecretMissing() {
      const absent = uniqueName('ca')
      const oidcAuth = {
        ...issuer.auth(plane.url),
        clientSecretRef: scene.ref(await clientSecret()),
        caSecretRef: scene.ref(absent),
      }
      const cluster = await scene.config({ oidcAuth })
      return { cluster, end: () => scene.secret({ 'ca.crt': plane.caPem }, absent) }
    },
    async ClusterUnreachable(t) {
      const front = await startFaultProxy(t, plane.url)
      const { caPem, admin: certificate } = plane
      const { cluster } = await scene.byKubeconfig(kubeconfigOf({ url: front.url, caPem }, { certificate }))
      await scene.reaches(cluster, 'True')
      front.refuse()
      front.resetAll()
      await scene.asked(cluster)
      return { cluster, end: () => front.heal() }
    },
    async TOFUFailed(t) {
      const spoke = await startSpokeStandIn(t)
      spoke.show(await issueForServer(spoke.authority, { dnsNames: ['elsewhere.example'] }))
      const scripted = await startScriptedIssuer(t)
      const clientSecretRef = scene.ref(await clientSecret())
      const cluster = await scene.config({ oidcAuth: { ...scripted.auth(spoke.url), clientSecretRef } })
      return { cluster, end: async () => spoke.show(await issueForServer(spoke.authority, onLoopback)) }
    },
    async ValidationFailed(t) {
      const { issuer: authority, caPem: certificateAuthority, clientId: clientID } = issuer
      const oidc = { authority, certificateAuthority, clientID }
      const provider = await scene.provider({ oidc, disabled: true })
      const oidcFromIdentityProvider = {
        name: provider,
        server: plane.url,
        audience: 'kubernetes',
        clientSecretRef: scene.ref(await clientSecret()),
      }
      const cluster = await scene.config({ oidcFromIdentityProvider })
      const providers = scene.admin.of(IdentityProvider.resource)
      t.after(async () => void (await providers.delete(provider)))
      const enabled = { type: 'merge', body: { spec: { disabled: false } } } as const
      return { cluster, end: () => providers.patch(provider, enabled), says: /is disabled/ }
    },
    async EgressDenied() {
      scene.settings.egress = { allowed: [], denied: ['127.0.0.0/8'] }
      const { cluster } = await scene.byKubeconfig()
      const end = () => {
        scene.settings.egress = everywhere
      }
      return { cluster, end, says: /reach\.egress/ }
    },
  }

  for (const [reason, cause] of Object.entries(causes))
    test(`${reason} is told while it holds, and no longer`, async (t) => {
      const { cluster, end, says = /./ } = await cause(t)
      const { message } = await scene.reaches(cluster, 'False', reason)
      assert.match(message, says)
      await eventually('a Warning tells it', async () =>
        (await scene.events(cluster, 'ClusterConfigValidationFailed')).some(
          (event) => event.type === 'Warning' && event.message?.startsWith(`${reason}: `),
        ),
      )
      await end()
      await scene.reaches(cluster, 'True')
      await eventually('an event tells that it is over', async () =>
        (await scene.events(cluster, 'ClusterConfigValidationSucceeded')).some(({ type }) => type === 'Normal'),
      )
    })

  test('these are all the reasons there are for a cluster not to be Ready', () => {
    const known = Object.keys(spokeReasons[meanings])
    const notReady = known.slice(0, known.indexOf('PermissionsGranted')).filter((name) => !name.endsWith('Validated'))
    assert.deepEqual(Object.keys(causes).sort(), notReady.sort())
  })
})
