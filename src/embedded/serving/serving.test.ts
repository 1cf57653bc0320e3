import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { TestScope } from '../../../test/support/test-scope.ts'
import type { Answer, WatchAnswer } from '../requests/answer.ts'
import { plainForm } from '../requests/answer.ts'
import { frameWriter } from '../requests/frames.ts'
import { selectionOf } from '../select/matcher.ts'
import { configMaps, watchScene } from '../watch/testing/scene.ts'
import { openWatch } from '../watch/watch.ts'
import { jsonAnswer, received, serve } from './testing/scene.ts'

/** Answers everything with a watch of all ConfigMaps. */
function watching(t: TestScope) {
  const scene = watchScene(t)
  const parameters = {
    ...{ resourceVersion: undefined, sendInitialEvents: undefined, allowBookmarks: true, timeoutSeconds: undefined },
  }
  const request = { served: configMaps, namespace: '', selection: selectionOf(configMaps, {}), parameters }
  const answer = (): WatchAnswer => ({
    contentType: 'application/json',
    writeFrame: frameWriter(configMaps, plainForm, scene.clock, {}),
    open: (sink) => openWatch(scene, request, sink),
  })
  return { ...scene, answer }
}

const large = JSON.stringify('x'.repeat(200_000))

test('both protocols are served on one port', async (t) => {
  const { get1, get2 } = await serve(t, async ({ method, path, query }) =>
    jsonAnswer(JSON.stringify([method, path, query.get('q')])),
  )
  const [one, two] = [await get1('/a%20b?q=1'), await get2('/a%20b?q=1')]
  assert.deepEqual([one.code, one.body.toString()], [200, '["GET","/a b","1"]'])
  assert.deepEqual([two.code, two.body.toString()], [200, '["GET","/a b","1"]'])
  assert.equal(two.headers['content-type'], 'application/json')
  assert.equal(two.headers['cache-control'], 'no-cache, private')
  assert.match(String(two.headers['audit-id']), /^[-0-9a-f]{36}$/)
})

test('a path that cannot be decoded is refused', async (t) => {
  const { get2 } = await serve(t, async () => assert.fail('nobody is asked'))
  const { code, body } = await get2('/%zz')
  assert.deepEqual([code, body.toString()], [400, '400 Bad Request'])
})

test('an error of the route is a 500 that tells nothing, and is logged', async (t) => {
  const { get1, get2, lines } = await serve(t, async () => assert.fail('the password is rabbit'))
  for (const { code, body } of [await get1('/api/v1/x'), await get2('/api/v1/x')]) {
    assert.equal(code, 500)
    const { reason, message } = JSON.parse(body.toString())
    assert.deepEqual([reason, message], ['InternalError', 'Internal error occurred: see the log of the control plane'])
  }
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /rabbit.*"method":"GET","path":"\/api\/v1\/x","msg":"a request failed"/)
})

test('HEAD is answered with headers alone', async (t) => {
  const { get1, get2 } = await serve(t, async () => jsonAnswer('{"a":1}'))
  for (const { code, headers, body } of [await get1('/', { method: 'HEAD' }), await get2('/', { ':method': 'HEAD' })])
    assert.deepEqual([code, headers['content-length'], body.length], [200, '7', 0])
})

test('large answers are packed for those who ask for it in so many words, and nobody else', async (t) => {
  const { get1, get2 } = await serve(t, async ({ path }) => jsonAnswer(path === '/large' ? large : '{}'))
  const encodingOf = async (accepted: string, path = '/large') => {
    const { headers, body } = await get2(path, { 'accept-encoding': accepted })
    const encoding = headers['content-encoding']
    assert.equal((encoding ? gunzipSync(body) : body).toString(), path === '/large' ? large : '{}')
    assert.equal(headers['vary'], encoding && 'Accept-Encoding')
    assert.equal(headers['content-length'], String(body.length))
    return encoding
  }
  assert.equal(await encodingOf('gzip'), 'gzip')
  assert.equal(await encodingOf('br, gzip , x'), 'gzip')
  for (const other of ['', 'identity', '*', 'x-gzip', 'gzip;q=0', 'gzip;q=1.0'])
    assert.equal(await encodingOf(other), undefined)
  assert.equal(await encodingOf('gzip', '/small'), undefined)
  const { headers } = await get1('/large', { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(headers['content-encoding'], 'gzip')
})

test('10 MB of body is 413 while it is still being sent, announced or not, over either protocol', async (t) => {
  const { open1, session } = await serve(t, async (request) => jsonAnswer(String((await request.readBody()).length)))
  const chunk = Buffer.alloc(1024 * 1024)
  for (const headers of [{ 'content-length': '10485760' }, {}]) {
    const { asked, answered } = open1('/', { method: 'POST', headers })
    for (let sent = 0; sent < 4; sent++) asked.write(chunk)
    const answer = await answered
    assert.equal(answer.statusCode, 413)
    const body = JSON.parse(Buffer.concat(await Array.fromAsync<Buffer>(answer)).toString())
    assert.deepEqual(
      [body.reason, body.message],
      ['RequestEntityTooLarge', 'Request entity too large: limit is 3145728'],
    )
    const stream = session().request({ ':method': 'POST', ':path': '/', ...headers })
    stream.on('error', () => {})
    for (let sent = 0; sent < 4; sent++) stream.write(chunk)
    const [{ ':status': status }] = await once(stream, 'response')
    assert.equal(status, 413)
  }
})

test('a connection goes on after a body that was too large', async (t) => {
  const { session, get2 } = await serve(t, async (request) => jsonAnswer(String((await request.readBody()).length)))
  const client = session()
  const stream = client.request({ ':method': 'POST', ':path': '/' })
  stream.end(Buffer.alloc(4 * 1024 * 1024))
  assert.equal((await received(stream)).code, 413)
  assert.equal((await get2('/', {}, client)).body.toString(), '0')
})

test('a body of exactly the limit is taken', async (t) => {
  const { session } = await serve(t, async (request) => jsonAnswer(String((await request.readBody()).length)))
  const stream = session().request({ ':method': 'POST', ':path': '/' })
  stream.end(Buffer.alloc(3 * 1024 * 1024))
  assert.equal((await received(stream)).body.toString(), '3145728')
})

test('F13a: a body of which next to nothing comes is given up after five seconds, over either protocol', async (t) => {
  let reading = 0
  const { session, open1, clock, until } = await serve(t, async (request) => {
    reading++
    return jsonAnswer(String((await request.readBody()).length))
  })
  const stream = session().request({ ':method': 'POST', ':path': '/' })
  stream.write('a')
  const { asked, answered } = open1('/', { method: 'POST' })
  asked.write('a')
  const answer = received(stream)
  await until('both are waited for', () => reading === 2)
  await clock.advance('5s')
  assert.equal((await answer).code, 408)
  assert.equal((await answered).statusCode, 408)
  assert.equal(clock.nextDue, undefined)
})

test('a client that goes away in the middle of its body leaves nothing behind', async (t) => {
  const { session, open1, clock, responses, until, lines } = await serve(t, async (request) =>
    jsonAnswer(String((await request.readBody()).length)),
  )
  const client = session()
  const reset = client.request({ ':method': 'POST', ':path': '/' })
  reset.on('error', () => {})
  reset.write('a')
  const gone = session()
  gone
    .request({ ':method': 'POST', ':path': '/' })
    .on('error', () => {})
    .write('a')
  const { asked } = open1('/', { method: 'POST' })
  asked.on('error', () => {})
  asked.write('a')
  await until('all three are under way', () => responses.size === 3 && clock.nextDue !== undefined)
  reset.close(8)
  gone.destroy()
  asked.destroy()
  await until('no response is left', () => responses.size === 0)
  await until('no timer is left', () => clock.nextDue === undefined)
  assert.deepEqual(lines, [])
})

test('E9: a client that goes away during a watch leaves nothing behind', async (t) => {
  const { answer, fanOut, clock: watchClock, put } = watching(t)
  const { session, open1, until, watches, done, clock } = await serve(t, async () => answer())
  const client = session()
  const reset = client.request({ ':path': '/a' })
  reset.on('error', () => {})
  await once(reset, 'response')
  const gone = session()
  await once(
    gone.request({ ':path': '/b' }).on('error', () => {}),
    'response',
  )
  const { asked, answered } = open1('/c')
  asked.end()
  const one = await answered
  one.on('error', () => {})
  await put('a', '1')
  assert.deepEqual([fanOut.size, watches.size], [3, 3])
  reset.close(8)
  gone.destroy()
  asked.destroy()
  await until('nobody listens', () => fanOut.size === 0)
  assert.deepEqual([watches.size, done.length, watchClock.nextDue, clock.nextDue], [0, 3, undefined, undefined])
})

test('a client that goes away before its watch is opened leaves nothing behind', async (t) => {
  const { answer, fanOut } = watching(t)
  for (const protocol of ['1.1', '2']) {
    const mayGoOn = Promise.withResolvers<void>()
    let hasAsked = false
    const { session, open1, until, watches, responses } = await serve(t, async () => {
      hasAsked = true
      await mayGoOn.promise
      return answer()
    })
    const client = session()
    if (protocol === '2') client.request({ ':path': '/' }).on('error', () => {})
    const { asked } = open1('/')
    if (protocol === '1.1') asked.on('error', () => {}).end()
    await until('it is asked', () => hasAsked)
    if (protocol === '2') client.destroy()
    else asked.destroy()
    await until('the server knows', () => responses.size === 0)
    mayGoOn.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([fanOut.size, watches.size], [0, 0], protocol)
  }
})

test('a watch ends when its server says so, and what it said before arrives', async (t) => {
  const { answer, put, clock: watchClock } = watching(t)
  const { get2, watches, done, until } = await serve(t, async () => answer())
  await put('a', '1')
  const watched = get2('/')
  await until('it is open', () => watches.size === 1)
  await put('b', '1')
  await watchClock.advance('1h')
  const { body } = await watched
  const types = body
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  assert.deepEqual([types.slice(0, 2), types.at(-1)], [['ADDED', 'ADDED'], 'BOOKMARK'])
  await until('it is over', () => done.length === 1)
})

test('a watcher that does not even read the end is dropped after a minute', async (t) => {
  const { answer, put, clock: watchClock } = watching(t)
  for (let index = 0; index < 30; index++) await put(`c-${index}`, 'x'.repeat(100_000))
  const { session, clock, responses, watches, until } = await serve(t, async () => answer())
  const stream = session().request({ ':path': '/' })
  stream.on('error', () => {})
  await once(stream, 'response')
  await until('it is open', () => watches.size === 1)
  await watchClock.advance('1h')
  assert.deepEqual([watches.size, responses.size], [0, 1])
  await clock.advance('1m')
  await until('it is dropped', () => responses.size === 0)
  assert.equal(clock.nextDue, undefined)
})

test('a watcher that does not read is held back, and told the rest when it reads again', async (t) => {
  const { answer, put } = watching(t)
  for (let index = 0; index < 30; index++) await put(`c-${index}`, 'x'.repeat(100_000))
  let written = 0
  const counted = ({ writeFrame, ...rest }: WatchAnswer): WatchAnswer => ({
    ...rest,
    writeFrame(frame) {
      written++
      return writeFrame(frame)
    },
  })
  const { session, watches, until } = await serve(t, async () => counted(answer()))
  const stream = session().request({ ':path': '/' })
  await once(stream, 'response')
  await until('it is open', () => watches.size === 1)
  await put('c-0', 'last')
  assert.ok(written > 5 && written < 20, `${written} lines wait for the reader`)
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => (text += chunk))
  await until('all of it is there', () => text.split('\n').length === 32)
  const names = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).object.metadata.name)
  assert.deepEqual([names.length, new Set(names).size, names.at(-1)], [31, 30, 'c-0'])
})

for (const protocol of ['HTTP/1.1', 'HTTP/2'])
  test(`an answer that is not taken over ${protocol} is dropped after a minute`, async (t) => {
    const huge = JSON.stringify('x'.repeat(30_000_000))
    const { session, open1, clock, responses, until } = await serve(t, async () => jsonAnswer(huge))
    if (protocol === 'HTTP/2') {
      const stream = session().request({ ':path': '/' })
      stream.on('error', () => {})
      await once(stream, 'response')
    } else {
      const { asked, answered } = open1('/')
      asked.end()
      ;(await answered).on('error', () => {})
    }
    await clock.advance('59s')
    assert.equal(responses.size, 1)
    await clock.advance('1s')
    await until('it is dropped', () => responses.size === 0)
    assert.equal(clock.nextDue, undefined)
  })

test('an answer that is taken leaves no timer behind', async (t) => {
  const { get1, get2, clock, until } = await serve(t, async () => jsonAnswer(large))
  await Promise.all([get1('/'), get2('/')])
  await until('no timer is left', () => clock.nextDue === undefined)
})

test('closing ends watches at once, lets answers under way finish, and takes no more', async (t) => {
  const { answer, put } = watching(t)
  await put('a', '1')
  const mayAnswer = Promise.withResolvers<Answer>()
  const { session, get1, get2, listener, watches, responses, until, clock } = await serve(t, async ({ path }) =>
    path === '/watch' ? answer() : mayAnswer.promise,
  )
  const client = session()
  const watched = [get2('/watch', {}, client), get1('/watch')]
  const slow = [get2('/slow', {}, client), get1('/slow')]
  await until('all are under way', () => watches.size === 2 && responses.size === 4)
  const closing = listener.close()
  for (const one of watched) assert.match((await one).body.toString(), /^{"type":"ADDED".*}\n$/)
  mayAnswer.resolve(jsonAnswer('{"done":true}'))
  for (const one of slow) assert.equal((await one).body.toString(), '{"done":true}')
  await assert.rejects(get1('/slow'), { code: 'ECONNREFUSED' })
  await clock.advance('1s')
  await closing
  assert.equal(clock.nextDue, undefined)
})

test('closing does not wait for ever for an answer', async (t) => {
  const { get2, listener, responses, until, clock } = await serve(t, () => new Promise(() => {}))
  const asked = get2('/')
  asked.catch(() => {})
  await until('it is under way', () => responses.size === 1)
  const closing = listener.close()
  await clock.advance('1s')
  await closing
  await assert.rejects(asked)
})

test('closing when nobody asks for anything does not wait at all', async (t) => {
  const { session, get2, listener, clock } = await serve(t, async () => jsonAnswer('{}'))
  const client = session()
  await get2('/', {}, client)
  await listener.close()
  assert.equal(clock.nextDue, undefined)
})
