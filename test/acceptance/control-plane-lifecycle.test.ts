/** How a control plane of one's own comes, is broken, and goes. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { configMaps } from '../../src/kube/kinds.ts'
import { aConfigMap } from '../support/builders.ts'
import { isAlive } from '../support/control-plane/guard.ts'
import type { OwnControlPlane } from '../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { kubeClient } from '../support/kube-client.ts'
import { ipv4Loopback, listeningAddresses } from '../support/listening.ts'

const configMapsOf = (t: TestContext, plane: OwnControlPlane) =>
  kubeClient(t, plane.connection()).of(configMaps, 'default')

describe('a control plane of its own', needsControlPlane, () => {
  test('two run at once, each with data of its own', async (t) => {
    const [one, two] = await Promise.all([
      startControlPlane(t, { controllers: false, ownProcess: true }),
      startControlPlane(t, { controllers: false, ownProcess: true }),
    ])
    await configMapsOf(t, one).create(aConfigMap('mine'))
    assert.equal(await configMapsOf(t, two).find('mine'), undefined)
    assert.ok(await configMapsOf(t, one).find('mine'))
  })

  test('data survives a restart and the death of each program', async (t) => {
    const plane = await startControlPlane(t, { ownProcess: true })
    const maps = configMapsOf(t, plane)
    await maps.create(aConfigMap('kept'))
    const before = plane.pids
    await plane.restart()
    assert.deepEqual(Object.keys(plane.pids).sort(), [...plane.programs].sort())
    for (const [program, pid] of Object.entries(plane.pids))
      assert.notEqual(pid, before[program as keyof typeof before])
    assert.ok(await maps.find('kept'))
    for (const program of plane.programs) {
      await plane.kill(program)
      assert.equal(plane.pids[program], undefined)
      await plane.start(program)
      assert.ok(await maps.find('kept'))
    }
  })

  test('serves on loopback only, and once stopped nothing of it is left', async (t) => {
    const plane = await startControlPlane(t, { ownProcess: true })
    const maps = configMapsOf(t, plane)
    const watching = Array.fromAsync(maps.watch()).catch(() => 'ended')
    const pids = Object.values(plane.pids)
    assert.equal(pids.length, plane.programs.length)
    if (process.platform === 'linux')
      for (const address of pids.flatMap(listeningAddresses)) assert.equal(address, ipv4Loopback)
    await plane.stop()
    await watching
    assert.deepEqual(pids.filter(isAlive), [])
    assert.ok(!existsSync(plane.dir))
    await plane.stop()
  })
})
