import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../core/conditions.ts'
import { reasons } from '../reasons.ts'
import { certificateReport } from './certificate-report.ts'
import { aCondition, acceptance, memberScene } from './member/testing/scene.ts'

const type = 'ClientCertificateValid'

async function aReport(t: { after(action: () => void): void }) {
  const scene = memberScene()
  const told = { type, status: 'True' as const, reason: reasons.ClientCertificateUpdated, message: 'until tomorrow' }
  const { hub, self, clock, random, log } = scene.deps
  const report = certificateReport({
    ...{ cluster: 'west', hub, self, clock, random, log },
    wanted: () => told,
    onWritten() {},
  })
  scene.run(t, report.run)
  const status = async () => findCondition((await scene.statusOf())?.conditions, type)?.status
  /** Somebody undoes what it wrote, as often as it writes within ten seconds. */
  const fight = async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      const body = { status: { conditions: [acceptance, aCondition(type, 'False')] } }
      if ((await status()) === 'True')
        await scene.hub.of(ManagedCluster.resource).patch('west', { type: 'merge', body }, { subresource: 'status' })
      await scene.clock.advance(100)
    }
    assert.equal(await status(), 'False', 'it is held up')
  }
  await scene.cluster({ conditions: [acceptance] })
  await scene.clock.settle(50)
  assert.equal(await status(), 'True')
  return { ...scene, told, status, fight, poke: report.poke }
}

test('beside another that undoes it, it is held up, and stands once it is alone', async (t) => {
  const { clock, status, fight } = await aReport(t)
  await fight()
  await clock.advance('30s')
  assert.equal(await status(), 'True')
})

test('news are told while it is held up', async (t) => {
  const { clock, told, fight, poke, statusOf } = await aReport(t)
  await fight()
  told.message = 'until the day after'
  poke()
  await clock.settle(50)
  assert.equal(findCondition((await statusOf())?.conditions, type)?.message, told.message)
})

test('a clock that is set back meanwhile holds it up no longer', async (t) => {
  const { clock, status, fight } = await aReport(t)
  await fight()
  await clock.jumpTo(new Date(clock.now().getTime() - 3_600_000))
  await clock.advance('30s')
  assert.equal(await status(), 'True')
})
