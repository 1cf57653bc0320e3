/** The status of many ClusterConfigs: nobody waits for another, two hubs agree, and a hub that dies loses nothing. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Checkpoint, CheckpointName } from '../../../src/core/checkpoint.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { namespaces } from '../../../src/kube/kinds.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startScriptedIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { answerAsApiServer, askForPatience, neverAnswer, startSpokeStandIn } from '../../support/spoke-stand-in.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the status of many ClusterConfigs', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  let timed: TimedPlane
  let scene: ReachScene
  let at: Checkpoint = () => {}
  before(async () => {
    timed = await timedPlane(suite)
    const checkpoint = (name: CheckpointName) => at(name)
    scene = await reachScene(suite, timed.plane, { clock: timed.clock, metrics: await metrics, checkpoint })
  })

  test('one of thirty that hangs holds up none of the others', async (t) => {
    const { clock } = timed
    const hanging = await startSpokeStandIn(t)
    hanging.answer = neverAnswer
    const { cluster: first, secret } = await scene.byKubeconfig()
    await scene.reaches(first, 'True')
    const startedAt = clock.now().getTime()
    const { cluster: late } = await scene.byKubeconfig(hanging.kubeconfig)
    await eventually('it hangs', () => hanging.asked.includes('/version'), { clock: 'stands' })
    const spec = { kubeconfigSecretRef: scene.ref(secret) }
    const others = [first, ...(await Promise.all(Array.from({ length: 28 }, () => scene.config(spec))))]
    for (const cluster of others) await scene.reachesAtOnce(cluster, 'True')
    assert.equal(clock.now().getTime(), startedAt, 'the look that hangs has not even given up')
    assert.equal(await scene.condition(late, 'Ready'), undefined)
    await clock.advance(5_000)
    await scene.reaches(late, 'False', 'ClusterUnreachable')

    // The hub counts what it was told by the API server, which may be a moment after the status was written.
    const text = await eventually('the metrics tell', async () => (await metrics).text(), {
      until: (told) => told.includes('lanyard_reach_clusters_items{reason="ClusterUnreachable"} 1'),
    })
    assert.match(text, /lanyard_reach_clusters_items\{reason="KubeconfigValidated"\} 29/)
    assert.match(text, /lanyard_reach_checks_total\{result="ClusterUnreachable"\} 1/)
    for (const cluster of [late, ...others]) await scene.remove(cluster)
  })

  test('an identity provider that hangs for seventy clusters holds up no other', async (t) => {
    const { clock, plane } = timed
    const issuer = await startScriptedIssuer(t)
    issuer.discovery = 'hang'
    const clientSecretRef = scene.ref(await scene.secret({ 'client-secret': 'secret' }))
    const caSecretRef = scene.ref(await scene.secret({ 'ca.crt': plane.caPem }))
    const oidcAuth = { ...issuer.auth(plane.url), clientSecretRef, caSecretRef }
    const startedAt = clock.now().getTime()
    const hanging = await Promise.all(Array.from({ length: 70 }, () => scene.config({ oidcAuth })))
    await eventually('they are looked at', () => issuer.paths.length > 0, { clock: 'stands' })
    const { cluster } = await scene.byKubeconfig()
    const isReady = async () => (await scene.condition(cluster, 'Ready'))?.status === 'True'
    const standing = { clock: 'stands' } as const
    await eventually(
      'the other one is ready',
      async () => {
        if (clock.now().getTime() - startedAt < 4_000) await clock.advance(250)
        return isReady()
      },
      standing,
    )
    assert.ok(clock.now().getTime() - startedAt <= 4_000, 'none of those that hang has given up')
    for (const name of [cluster, ...hanging]) await scene.remove(name)
  })

  test('two hubs that look at one cluster agree, and neither writes what the other wrote', async (t) => {
    const spoke = await startSpokeStandIn(t)
    const { cluster } = await scene.byKubeconfig(spoke.kubeconfig)
    await scene.reaches(cluster, 'True')
    const stop = scene.beside()
    const looks = () => spoke.asked.filter((path) => path === '/version').length
    await eventually('both have looked', () => looks() >= 2)
    const { metadata } = await scene.asked(cluster)
    await eventually('both have looked because somebody asked', () => looks() >= 4)
    // Each comes to its turn once.
    await eventually('both have looked again', async () => {
      await timed.clock.advance(20_000)
      return looks() >= 6
    })
    assert.equal((await scene.find(cluster))?.metadata.resourceVersion, metadata.resourceVersion)

    spoke.answer = (_, response) => response.writeHead(500).end()
    await scene.asked(cluster)
    const { lastTransitionTime } = await scene.reaches(cluster, 'False', 'ClusterUnreachable')
    await timed.clock.advance(150_000)
    assert.equal((await scene.condition(cluster, 'Ready'))?.lastTransitionTime, lastTransitionTime)
    const warnings = await eventually('a Warning tells it', async () => {
      const found = await scene.events(cluster, 'ClusterConfigValidationFailed')
      return found.length > 0 && found
    })
    assert.equal(warnings.length, 1, 'one event, whoever tells it')
    await stop()
  })

  test('a hub that dies after a look and before it told of it tells when it is back', async () => {
    const { cluster, secret } = await scene.byKubeconfig()
    await scene.reaches(cluster, 'True')
    const dying = Promise.withResolvers<void>()
    at = (name) => {
      if (name !== 'reach.checked') return
      at = () => {}
      void scene.stop().then(dying.resolve, dying.reject)
      throw new Error('killed')
    }
    await scene.removeSecret(secret)
    await dying.promise
    assert.equal((await scene.condition(cluster, 'Ready'))?.status, 'True')
    scene.start()
    await scene.reaches(cluster, 'False', 'SecretMissing')
    await eventually('a Warning tells it', async () =>
      (await scene.events(cluster, 'ClusterConfigValidationFailed')).find(({ type }) => type === 'Warning'),
    )
  })

  test('429 to anybody shows at once, and no longer than it lasts', async (t) => {
    const { clock } = timed
    const spoke = await startSpokeStandIn(t)
    const { cluster } = await scene.byKubeconfig(spoke.kubeconfig)
    await scene.reaches(cluster, 'True')
    assert.equal(await scene.condition(cluster, 'Throttled'), undefined)
    const startedAt = clock.now().getTime()
    const patience = askForPatience(1)
    spoke.answer = (request, response) => {
      if (request.url?.startsWith('/api/v1/namespaces')) patience(request, response)
      else answerAsApiServer(request, response)
    }
    const ending = new AbortController()
    const { kube } = await scene.spokes.open(cluster)
    const call = assert.rejects(kube.of(namespaces).list({ signal: ending.signal }))
    await scene.reachesAtOnce(cluster, 'True', 'TooManyRequests', 'Throttled')
    assert.equal(clock.now().getTime(), startedAt)
    ending.abort()
    await call
    spoke.answer = undefined
    await eventually('it is calm again', async () => {
      await clock.advance(5_000)
      return (await scene.condition(cluster, 'Throttled'))?.reason === 'NotThrottled'
    })
    assert.equal((await scene.condition(cluster, 'Ready'))?.status, 'True')
  })

  test('what the hub shows a cluster is in the ledger while the ClusterConfig is', async () => {
    const { cluster, secret } = await scene.byKubeconfig()
    await scene.reaches(cluster, 'True')
    const listed = async () => (await Array.fromAsync(scene.passes.list())).find(({ id }) => id.endsWith(`/${cluster}`))
    const pass = await eventually('its pass is listed', listed)
    assert.deepEqual(
      [pass.kind, pass.keptIn, pass.state],
      ['reach', `secret/${scene.namespace}/${secret}`, 'PassIssued'],
    )
    await scene.removeSecret(secret)
    await eventually('its pass tells what is wrong', async () => (await listed())?.state === 'SecretMissing')
    await scene.remove(cluster)
    await eventually('its pass is gone', async () => (await listed()) === undefined)
  })
})
