/** A kubeconfig that names the loopback interface: where calls go then. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { watchedHubConfig } from '../../../src/cli/hub-config.ts'
import { spokeSettingsOf } from '../../../src/cli/reach-settings.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import type { ConnectProxy } from '../../support/connect-proxy.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { runInTest } from '../../support/fleet-scene.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { spokeScene } from '../../support/spoke-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

const own = { server: 'https://kubernetes.default.svc', tunnel: 'kubernetes.default.svc:443' }

describe('a loopback address in a kubeconfig', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
  })

  /** A kubeconfig of a cluster behind a proxy that knows every name. */
  async function behindProxy(t: TestScope, server: string, serverName?: string) {
    const proxy = await startConnectProxy(t, plane.url)
    const config = parse(plane.kubeconfig())
    const name = serverName && { 'tls-server-name': serverName }
    Object.assign(config.clusters[0].cluster, { server, 'proxy-url': proxy.url, ...name })
    return { proxy, text: stringify(config) }
  }
  const call = async ({ spokes }: Pick<ReachScene, 'spokes'>, cluster: string) =>
    (await spokes.open(cluster)).kube.request({ path: '/version' })
  const tunnels = ({ asked }: ConnectProxy) => [...new Set(asked)]

  /** Connections of a hub with this environment, and with a configuration file. */
  async function configured(t: TestScope, env: Readonly<Record<string, string>>) {
    const file = join(tempDir(t), 'lanyard.yaml')
    // The proxy of these tests is at a loopback address, and so is what is meant without the rewriting.
    const egress = { allowed: ['127.0.0.0/8', '::/0', '0.0.0.0/0'] }
    const write = (rewriteLoopback: boolean) => writeFile(file, stringify({ reach: { rewriteLoopback, egress } }))
    await write(true)
    const config = await watchedHubConfig(file, { clock: systemClock, log: silentLog, env })
    runInTest(t, [config.run])
    const hub = await spokeScene(t, plane, { settingsNow: () => spokeSettingsOf(config.reach(), env) })
    return {
      hub,
      async flip(rewriteLoopback: boolean) {
        await write(rewriteLoopback)
        await eventually('the file is read again', () => config.reach().rewriteLoopback === rewriteLoopback)
      },
    }
  }

  test('A33: inside a cluster it means the cluster itself, until the switch says otherwise', async (t) => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const original = { server: `https://${host}:6443`, tunnel: `${host}:6443` }
      const { hub, flip } = await configured(t, { KUBERNETES_SERVICE_HOST: '10.0.0.1' })
      const { proxy, text } = await behindProxy(t, original.server)
      const { cluster } = await hub.byKubeconfig(text)
      await call(hub, cluster)
      await call(hub, cluster)
      assert.deepEqual(tunnels(proxy), [own.tunnel])
      assert.equal((await hub.spokes.open(cluster)).server, own.server)

      await flip(false)
      await call(hub, cluster)
      assert.deepEqual(tunnels(proxy), [own.tunnel, original.tunnel])
      assert.equal((await hub.spokes.open(cluster)).server, original.server)

      await flip(true)
      await call(hub, cluster)
      assert.equal(proxy.asked.at(-1), own.tunnel)

      const outside = await configured(t, {})
      const another = await behindProxy(t, original.server)
      const elsewhere = await outside.hub.byKubeconfig(another.text)
      await call(outside.hub, elsewhere.cluster)
      assert.deepEqual(tunnels(another.proxy), [original.tunnel])
    }
  })

  test('A34: only the host itself counts, and the check goes where all calls go', async (t) => {
    const scene = await reachScene(t, plane, { spokes: { insideCluster: true } })
    const checked = async (server: string, serverName?: string) => {
      const { proxy, text } = await behindProxy(t, server, serverName)
      const secret = await scene.secret({ value: text })
      const cluster = await scene.config({ kubeconfigSecretRef: scene.ref(secret) })
      await scene.reaches(cluster, 'True', 'KubeconfigValidated')
      return { cluster, proxy }
    }
    const shownServer = async (cluster: string) => (await scene.find(cluster))?.status?.server

    const elsewhere = await checked('https://localhost.example.com:6443', 'localhost')
    await call(scene, elsewhere.cluster)
    assert.deepEqual(tunnels(elsewhere.proxy), ['localhost.example.com:6443'])
    assert.equal(await shownServer(elsewhere.cluster), 'https://localhost.example.com:6443')

    const local = await checked('https://[::1]:6443')
    await call(scene, local.cluster)
    assert.deepEqual(tunnels(local.proxy), [own.tunnel])
    assert.equal(await shownServer(local.cluster), own.server)

    // Another client for the same cluster, whoever asks for it first, goes the same way.
    await scene.change(local.cluster, { spec: { environment: 'test' } })
    await eventually('it is checked again', async () => {
      const found = await scene.find(local.cluster)
      return found?.status?.observedGeneration === found?.metadata.generation
    })
    await call(scene, local.cluster)
    assert.equal((await scene.spokes.open(local.cluster)).server, own.server)
    assert.deepEqual(tunnels(local.proxy), [own.tunnel])
    assert.ok(local.proxy.asked.length > 1)
  })
})
