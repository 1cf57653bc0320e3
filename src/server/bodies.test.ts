import assert from 'node:assert/strict'
import type { Http2ServerRequest } from 'node:http2'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isFailure } from '../core/failure.ts'
import { Bodies } from './bodies.ts'

const aRequest = () => Object.assign(new PassThrough(), { headers: {} })
const read = (bodies: Bodies, request: PassThrough) => bodies.of(request as unknown as Http2ServerRequest).read()

test('a body that comes byte by byte is held to what its pieces take of memory', async () => {
  const bodies = new Bodies(10_000, new FakeClock())
  const request = aRequest()
  const body = assert.rejects(read(bodies, request), (error) => isFailure(error, 'SERVER_BUSY'))
  for (let sent = 0; sent < 100; sent += 1) request.emit('data', Buffer.from('x'))
  await body
})

test('the same bytes in one piece are read', async () => {
  const bodies = new Bodies(10_000, new FakeClock())
  const request = aRequest()
  const body = read(bodies, request)
  request.end('x'.repeat(100))
  assert.equal((await body).length, 100)
})
