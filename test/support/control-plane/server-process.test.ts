import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { tempDir } from '../temp-dir.ts'
import { isAlive } from './guard.ts'
import { pathsIn } from './paths.ts'
import { StartFailure, spawnServer, untilReady } from './server-process.ts'

const shell = (t: Parameters<typeof tempDir>[0], script: string) => {
  const paths = pathsIn(tempDir(t))
  return { paths, started: spawnServer('etcd', '/bin/sh', ['-c', script], paths) }
}

const never = async () => false

test('a program that ends before it is ready is told with its last words', async (t) => {
  const { paths, started } = shell(t, 'seq 100; echo no such flag >&2; exit 3')
  await assert.rejects(untilReady(await started, never, paths), (error: StartFailure) => {
    assert.match(error.message, /^etcd ended before it was ready \(exit code 3\); the end of its log:\n82\n/)
    assert.match(error.message, /100\nno such flag$/)
    assert.equal(error.portTaken, false)
    return true
  })
  assert.ok(!existsSync(paths.pid('etcd')))
})

test('a port that somebody else took is told apart, so that another one is tried', async (t) => {
  const { paths, started } = shell(t, 'echo listen tcp 127.0.0.1:1: bind: address already in use; exit 1')
  const error = await untilReady(await started, never, paths).catch((error: unknown) => error)
  assert.ok(error instanceof StartFailure && error.portTaken)
})

test('a program that does not heed the signal is killed after its grace', async (t) => {
  const { paths, started } = shell(t, 'trap "" TERM; echo up; while :; do sleep 1; done')
  const server = await started
  assert.ok(existsSync(paths.pid('etcd')))
  await untilReady(server, async () => readFileSync(paths.log('etcd'), 'utf8') === 'up\n', paths)
  await server.end('SIGTERM', 50)
  assert.equal(server.ending, 'SIGKILL')
  assert.ok(!isAlive(server.pid))
  await server.end('SIGTERM')
})

test('a program that ends though nobody ended it says so with the end of its log; one that was ended does not', async (t) => {
  const { started } = shell(t, 'echo lost my storage; exit 255')
  const server = await started
  await eventually('it has ended', () => server.ending !== undefined)
  await server.end('SIGTERM')
  assert.equal(server.fault, 'etcd ended by itself (exit code 255); the end of its log:\nlost my storage')
  const other = await shell(t, 'sleep 60').started
  await other.end('SIGTERM')
  assert.equal(other.fault, undefined)
})

test('a program that is not there cannot be started', async (t) => {
  await assert.rejects(spawnServer('etcd', '/no/such/program', [], pathsIn(tempDir(t))), { code: 'ENOENT' })
})
