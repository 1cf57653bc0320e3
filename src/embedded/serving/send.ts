import type { ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock } from '../../core/clock.ts'
import type { WatchAnswer, WholeAnswer } from '../requests/answer.ts'
import { openLines } from '../requests/lines.ts'
import type { Account } from './load.ts'

/** What a watcher may leave unread before it is told nothing more for the time being. */
const maxUnreadBytes = 1024 * 1024

/** Bodies from this size on are packed for clients that can unpack them. */
const gzipFromBytes = 128 * 1024

/** An answer that a client has not taken by then is dropped, and its memory with it. */
const takenWithinMs = 60_000

/** What the operating system keeps for a client that does not read. Not worth a timer. */
const smallBytes = 64 * 1024

const packed = promisify(gzip)

export type Headers = Record<string, string | string[]>

export function sendPlain(response: Http2ServerResponse, code: number, body: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(body.length) })
  response.end(body)
}

export async function sendWhole(
  { clock }: { clock: Clock },
  { code, body, bytes: given, isSentAsItIs }: WholeAnswer,
  headers: Headers,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  account?: Account,
): Promise<void> {
  let bytes = given ?? Buffer.from(body)
  if (bytes.length >= gzipFromBytes && !isSentAsItIs && takesGzip(request)) {
    bytes = await packed(bytes, { level: 1 })
    headers['content-encoding'] = 'gzip'
    headers['vary'] = [headers['vary'] ?? [], 'Accept-Encoding'].flat()
  }
  if (isGone(response)) return
  // What a client has already is of a length that it knows.
  response.writeHead(code, { ...headers, ...(code !== 304 && { 'content-length': String(bytes.length) }) })
  if (bytes.length > smallBytes) {
    giveUpLater(clock, response)
    const sending = account?.sending(bytes.length)
    response.once('close', () => sending?.[Symbol.dispose]())
  }
  if (request.method === 'HEAD') response.end()
  else response.end(bytes)
  // What a client still sends is not wanted: its connection must not wait for it.
  if (!request.complete) request.resume()
}

/** As the real server reads it: a quality, even a good one, and it is not packed. */
const takesGzip = ({ headers }: Http2ServerRequest): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((coding) => coding.trim() === 'gzip')

export function sendWatch(
  { clock, watches }: { clock: Clock; watches: Set<Disposable> },
  answer: WatchAnswer,
  headers: Headers,
  response: Http2ServerResponse,
  account: Account | undefined,
  onDone: () => void,
): void {
  response.writeHead(200, headers)
  // Clients wait for the headers of a watch; there may be no event for a long time.
  ;(response as unknown as { flushHeaders(): void }).flushHeaders()
  const sending = account?.sending(0)
  const watch = openLines(answer, {
    take(line) {
      if (isGone(response)) return false
      response.write(line)
      const left = unread(response)
      sending?.set(left)
      return left < (account?.maySendMore === false ? smallBytes : maxUnreadBytes)
    },
    end() {
      watches.delete(watch)
      if (isGone(response)) return
      response.end()
      giveUpLater(clock, response)
    },
  })
  watches.add(watch)
  response.on('drain', () => {
    sending?.set(unread(response))
    watch.resume()
  })
  response.once('close', () => {
    sending?.[Symbol.dispose]()
    watch[Symbol.dispose]()
    onDone()
  })
}

function giveUpLater(clock: Clock, response: Http2ServerResponse): void {
  const late = clock.countdown(takenWithinMs, () => void response.destroy())
  response.once('close', () => late[Symbol.dispose]())
}

/** Whether nobody is there to answer. A response over HTTP/2 does not say so itself, its stream does. */
export const isGone = (response: Http2ServerResponse): boolean =>
  response.writableEnded || (response.stream?.destroyed ?? (response as unknown as ServerResponse).destroyed)

const unread = (response: Http2ServerResponse): number =>
  response.stream?.writableLength ?? response.writableLength ?? 0
