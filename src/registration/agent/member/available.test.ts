import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examination } from './available.ts'
import { httpFailure, memberScene } from './testing/scene.ts'

function examined(t: { after(action: () => void): void }, answer?: () => unknown) {
  const scene = memberScene()
  if (answer) scene.answer = answer
  let changes = 0
  const health = examination(scene.deps, () => {
    changes += 1
  })
  scene.run(t, health.run)
  return Object.assign(scene, { health, changes: () => changes })
}

test('a server that answers is available, and asked once a period', async (t) => {
  const { clock, health, asked, changes } = examined(t)
  await health.first
  assert.equal(health.current.available?.status, 'True')
  assert.equal(health.current.available?.message, 'Managed cluster is available')
  assert.equal(health.current.version, 'v1.36.2')
  await clock.advance('3m')
  assert.deepEqual(
    asked.filter((path) => path !== '/version'),
    ['/livez', '/livez', '/livez', '/livez'],
  )
  assert.equal(changes(), 1)
})

for (const [code, reason] of [
  [404, 'NotFound'],
  [403, 'Forbidden'],
] as const)
  test(`/healthz is asked where /livez is answered with ${code}`, async (t) => {
    const scene = examined(t)
    scene.answer = (path) => (path === '/livez' ? httpFailure(code, reason) : 'ok')
    await scene.health.first
    assert.equal(scene.health.current.available?.status, 'True')
  })

test('a version that is not told stays as it was', async (t) => {
  const scene = examined(t)
  await scene.health.first
  scene.answer = (path) => (path === '/version' ? httpFailure(500, 'InternalError') : 'ok')
  await scene.clock.advance('1m')
  assert.equal(scene.health.current.version, 'v1.36.2')
  assert.equal(scene.health.current.available?.status, 'True')
})

test('failures of less than 20 seconds change nothing', async (t) => {
  const scene = examined(t)
  await scene.health.first
  scene.answer = () => httpFailure(500, 'InternalError')
  await scene.clock.advance('1m')
  await scene.clock.advance('19999ms')
  assert.equal(scene.health.current.available?.status, 'True')
  scene.answer = () => 'ok'
  await scene.clock.advance('5s')
  scene.answer = () => httpFailure(500, 'InternalError')
  await scene.clock.advance('74s')
  assert.equal(scene.health.current.available?.status, 'True', 'a good answer ends the row')
})

test('20 seconds of failures make it unavailable with what was answered, one good answer available again', async (t) => {
  const scene = examined(t)
  await scene.health.first
  scene.answer = () => httpFailure(500, 'InternalError')
  await scene.clock.advance('80s')
  const { available } = scene.health.current
  assert.deepEqual([available?.status, available?.reason], ['False', 'ManagedClusterKubeAPIServerUnavailable'])
  assert.match(available?.message ?? '', /500 InternalError/)
  scene.answer = () => httpFailure(503, 'ServiceUnavailable')
  await scene.clock.advance('30s')
  assert.equal(scene.health.current.available, available, 'the same outage is told once')
  scene.answer = () => 'ok'
  await scene.clock.advance('5s')
  assert.equal(scene.health.current.available?.status, 'True')
})

test('a server that fails from the start is unavailable after 20 seconds, and nothing before', async (t) => {
  const { clock, health } = examined(t, () => httpFailure(500, 'InternalError'))
  const status = () => health.current.available?.status
  await health.first
  await clock.advance('19999ms')
  assert.equal(status(), undefined)
  await clock.advance('1ms')
  assert.equal(status(), 'False')
})
