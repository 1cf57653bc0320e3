import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isAbort } from '../core/lifecycle.ts'
import { silentLog } from '../core/log.ts'
import type { Kube } from '../kube/kube.ts'
import { untilItAnswers } from './process-parts.ts'

function scene(check?: (gitVersion: string) => void) {
  const clock = new FakeClock()
  const server = { isThere: false }
  const request = async () => {
    if (!server.isThere) throw new Error('nobody there')
    return { gitVersion: 'v1.34.1-eks-1' }
  }
  const kube = { request } as unknown as Kube
  const said: string[] = []
  const show = (step: object) => void said.push(Object.values(step).join(' '))
  const answering = untilItAnswers(kube, { server: 'https://s', show, clock, log: silentLog, ...(check && { check }) })
  const stop = new AbortController()
  return { clock, server, said, answering, stop, over: answering.run(stop.signal) }
}

test('the version of an API server that comes late is told once it answers', async () => {
  const { clock, server, said, answering, stop, over } = scene()
  await clock.advance('10s')
  assert.equal(answering.isThere(), false)
  server.isThere = true
  await clock.advance('2s')
  assert.equal(await answering.version(), 'v1.34.1-eks-1')
  assert.equal(answering.isThere(), true)
  assert.deepEqual(said, ['waiting for https://s', 'the API server answers https://s, v1.34.1-eks-1'])
  stop.abort()
  await over
})

test('an API server that the process is not for ends it, but not before it answers', async () => {
  const refusal = new Error('not here')
  const { clock, server, answering, over } = scene((version) => {
    assert.equal(version, 'v1.34.1-eks-1')
    throw refusal
  })
  // Whoever waits for the version before it begins anything never begins.
  const ended = Promise.all([assert.rejects(over, refusal), assert.rejects(answering.version(), refusal)])
  await clock.advance('10s')
  server.isThere = true
  await clock.advance('2s')
  await ended
})

test('who waits for a version that never came hears that the process stops', async () => {
  const { clock, answering, stop, over } = scene()
  await clock.advance('10s')
  const waiting = assert.rejects(answering.version(), (error) => isAbort(error, stop.signal))
  stop.abort()
  await Promise.all([over, waiting])
})
