/** What every sink has to do, whichever store is behind it. */
import assert from 'node:assert/strict'
import type { OutsideOptions } from './pull-secret-outside.ts'
import { killedAt, outsideOf } from './pull-secret-outside.ts'
import type { PullSecretScene } from './pull-secret-scene.ts'
import { clusterC, tester } from './pull-secret-scene.ts'

export interface StoreView {
  /** What a reader of the store gets for cluster C. */
  read(): Promise<string | undefined>
  /** How often something was written for it, ever. */
  writes(): Promise<number>
  /** Makes the store unreachable; what it returns ends that. Absent: this store cannot be broken here. */
  breakOff?(): () => void
}

const servedTo = async (scene: PullSecretScene) =>
  (await scene.service.issuing.read(clusterC.id, tester)).document.json.reveal()

/** One new version a change and none without; gone when nothing is served; an outage holds up nobody and is got over. */
export async function behavesAsSink(scene: PullSecretScene, options: OutsideOptions, store: StoreView): Promise<void> {
  const { issuing, rotating, ending } = scene.service
  const outside = await outsideOf(scene, scene.clock, options)
  const generate = () => issuing.generate({ cluster: clusterC }, tester)
  const deliver = async () => {
    await scene.clock.advance('15m')
    await outside.tick('delivery')
  }

  const heal = store.breakOff?.()
  const { created } = await generate()
  assert.ok(created, 'generate knows nothing of the sink')
  if (heal) {
    await outside.tick('delivery')
    assert.equal((await generate()).created, false, 'and goes on to work')
    heal()
  }
  await deliver()
  assert.ok((await store.read()) === (await servedTo(scene)), 'the document that is served is there')
  assert.equal(await store.writes(), 1)

  await generate()
  await deliver()
  assert.equal(await store.writes(), 1, 'nothing changed, nothing was written')

  const rotate = { clusterId: clusterC.id, reason: 'manual', forceImmediate: true } as const
  await rotating.request(rotate, tester)
  await scene.tick('rotation')
  await killedAt('pull.delivered', async (checkpoint, signal) => {
    const dying = await outsideOf(scene, scene.clock, { ...options, checkpoint })
    await dying.tick('delivery', signal)
  })
  assert.ok((await store.read()) === (await servedTo(scene)), 'the document that is served is there')
  assert.equal(await store.writes(), 2)
  await deliver()
  assert.equal(await store.writes(), 2, 'what was put and not written down is not put again')

  await ending.suspend(clusterC.id, 'test', tester)
  await deliver()
  assert.ok((await store.read()) === undefined, 'gone with the suspension')

  await ending.resume(clusterC.id, 'test', tester)
  await deliver()
  await deliver()
  assert.ok((await store.read()) === (await servedTo(scene)), 'and back with its end')

  await ending.remove(clusterC.id, tester)
  await deliver()
  assert.ok((await store.read()) === undefined, 'gone with the cluster')
}
