import type { IncomingMessage, RequestOptions } from 'node:http'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { connect } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { issueForServer, testAuthority } from '../../../../test/support/control-plane/identities.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { createLog } from '../../../core/log.ts'
import type { Answer } from '../../requests/answer.ts'
import type { ApiRequest } from '../../requests/body.ts'
import type { ExchangeDeps } from '../exchange.ts'
import { exchange } from '../exchange.ts'
import { listen } from '../listener.ts'
import { Load } from '../load.ts'

const authority = testAuthority('test-serving-ca')
const certified = authority.then((ca) => issueForServer(ca, { ipAddresses: ['127.0.0.1'] }))

export const jsonAnswer = (body: string, code = 200): Answer => ({ code, body, contentType: 'application/json' })

/** What a client got: its code, its headers, its body. */
export interface Got {
  code: number
  headers: Record<string, unknown>
  body: Buffer
}

/** A server on loopback with a route of the test's, and clients of both protocols. */
export async function serve(
  t: TestScope,
  route: (request: ApiRequest) => Promise<Answer>,
  more: Partial<ExchangeDeps> = {},
) {
  const { certPem, keyPem } = await certified
  const ca = (await authority).certPem
  const clock = new FakeClock()
  const lines: string[] = []
  const log = createLog({ destination: { write: (line) => lines.push(line) } })
  const watches = new Set<Disposable>()
  const done: string[] = []
  const user = { name: 'jane', groups: [] }
  const deps: ExchangeDeps = {
    ...{ clock, log, watches, route },
    load: new Load(),
    authenticator: { authenticate: async () => user },
    authorizer: { authorize: async () => ({ verdict: 'allow', reason: '' }) },
    impersonate: async (attributes) => attributes.user,
    onDone: ({ info }, code) => done.push(`${info.verb} ${code}`),
    ...more,
  }
  const responses = new Set<unknown>()
  const listener = await listen({
    ...{ host: '127.0.0.1', port: 0, certPem, keyPem: keyPem.reveal(), clientCaPem: ca, clock, log },
    onRequest(request, response) {
      responses.add(response)
      response.once('close', () => responses.delete(response))
      void exchange(deps, request, response)
    },
    onClose() {
      for (const watch of watches) watch[Symbol.dispose]()
    },
  })
  const url = `https://127.0.0.1:${listener.port}`
  const clients = new Set<() => void>()
  teardown(t, async () => {
    for (const end of clients) end()
    const closing = listener.close()
    await clock.advance('1s')
    await closing
  })

  function session(): ClientHttp2Session {
    const client = connect(url, { ca })
    client.on('error', () => {})
    clients.add(() => client.destroy())
    return client
  }

  /** Over HTTP/1.1; what is to be sent is the caller's to end. */
  function open1(path: string, options: RequestOptions = {}) {
    const asked = httpsRequest(new URL(path, url), { ca, agent: false, ...options } as RequestOptions)
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.once('response', resolve)
      asked.on('error', reject)
    })
    answered.catch(() => {})
    clients.add(() => asked.destroy())
    return { asked, answered }
  }

  async function get1(path: string, options: RequestOptions = {}): Promise<Got> {
    const { asked, answered } = open1(path, options)
    asked.end()
    const answer = await answered
    const body = Buffer.concat(await Array.fromAsync<Buffer>(answer))
    return { code: answer.statusCode ?? 0, headers: answer.headers, body }
  }

  return {
    ...{ clock, lines, watches, done, listener, responses, session, open1, get1 },
    /** Over HTTP/2. */
    get2: (path: string, headers: Record<string, string> = {}, client = session()): Promise<Got> =>
      received(client.request({ ':path': path, ...headers })),
    until: (what: string, look: () => boolean) => eventually(what, look, { everyMs: 2 }),
  }
}

export async function received(stream: ClientHttp2Stream): Promise<Got> {
  const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.once('response', resolve)
    stream.once('error', reject)
    stream.once('close', () => reject(new Error('closed without an answer')))
  })
  const body = Buffer.concat(await Array.fromAsync<Buffer>(stream))
  return { code: Number(headers[':status']), headers, body }
}
