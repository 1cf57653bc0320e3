/** A cluster, or an identity provider, that hangs: nobody else waits for it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import type { OpenSpoke } from '../../../src/fleet/spoke/index.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { startIssuer, startScriptedIssuer } from '../../support/issuer.ts'
import type { SpokeScene } from '../../support/spoke-scene.ts'
import { spokeScene } from '../../support/spoke-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('clusters beside one that hangs', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let scene: SpokeScene
  let trusted: TestIssuer
  before(async () => {
    trusted = await startIssuer(suite)
    plane = await startControlPlane(suite, { oidc: trusted.trust() })
    // Time stands still: no deadline ends the waiting for those that hang, nor any wait of the others.
    scene = await spokeScene(suite, plane, { clock: new FakeClock(new Date()), settings: { qps: 0 } })
  })
  const standing = { clock: 'stands' } as const
  const kubeconfigAt = (server: string) => {
    const config = parse(plane.kubeconfig())
    config.clusters[0].cluster.server = server
    return stringify(config)
  }
  const byOidc = async (issuer: Pick<TestIssuer, 'auth' | 'clientSecret'>, server: string, trust: object) => {
    const client = await scene.secret({ 'client-secret': issuer.clientSecret })
    const oidcAuth = { ...issuer.auth(server), clientSecretRef: scene.ref(client), ...trust }
    return scene.config({ oidcAuth } as Parameters<SpokeScene['config']>[0])
  }

  test('A36: of an API server or an identity provider that hangs no other cluster hears anything', async (t) => {
    const ending = new AbortController()
    const { signal } = ending
    const stalled = await startFaultProxy(t, plane.url)
    stalled.halfOpen()
    const issuer = await startScriptedIssuer(t)
    issuer.discovery = 'hang'
    const tokenless = await startScriptedIssuer(t)
    tokenless.answer = () => 'hang'
    const ca = await scene.secret({ 'ca.crt': plane.caPem })
    const vouched = { caSecretRef: scene.ref(ca) }

    const hangingServer = await scene.byKubeconfig(kubeconfigAt(stalled.url))
    const hangingIssuer = await byOidc(issuer, plane.url, vouched)
    const hangingTokens = await byOidc(tokenless, plane.url, vouched)
    const sound = await startScriptedIssuer(t)
    const neverShown = await byOidc(sound, stalled.url, {})
    const healthy = [(await scene.byKubeconfig(kubeconfigAt(plane.url))).cluster]
    healthy.push(await byOidc(trusted, plane.url, vouched))

    const call = ({ kube }: OpenSpoke) => kube.request({ path: '/version', signal })
    const through = (cluster: string) => scene.spokes.open(cluster, { signal }).then(call)
    const settled: string[] = []
    const hanging = [hangingServer.cluster, hangingIssuer, hangingTokens, neverShown].flatMap((cluster) =>
      Array.from({ length: 20 }, () =>
        through(cluster).then(
          () => settled.push(`${cluster} answered`),
          (error) => settled.push(`${cluster} failed: ${error}`),
        ),
      ),
    )
    const haveBegun = () => stalled.connections >= 2 && issuer.paths.length > 0 && tokenless.requests.length > 0
    await eventually('they have all begun to wait', haveBegun, standing)

    let answers = 0
    const ask = (cluster: string) => void through(cluster).then(() => (answers += 1))
    for (let round = 1; round <= 10; round += 1) {
      for (let times = 0; times < 10; times += 1) healthy.forEach(ask)
      await eventually('all of them are answered', () => answers === 20 * round, standing)
    }
    assert.deepEqual(settled, [])
    // Each issuer is asked once, however many wait, and the API server is dialled for its own cluster alone.
    assert.deepEqual([issuer.paths.length, tokenless.requests.length], [1, 1])

    // Nor does anybody wait who comes while a client is made anew, and needs a token anew.
    for (const cluster of healthy) scene.spokes.forget(cluster)
    healthy.forEach(ask)
    await eventually('they are answered', () => answers === 202, standing)
    assert.equal(trusted.requests.length, 2)
    assert.deepEqual(settled, [])

    ending.abort(new Error('enough'))
    await Promise.all(hanging)
    const givenUp = (settled as string[]).filter((text) => text.endsWith('failed: Error: enough'))
    assert.equal(givenUp.length, 80)
  })
})
