import type { Duplex } from 'node:stream'
import type { Clock } from '../../core/clock.ts'
import type { Failure } from '../../core/failure.ts'
import type { ProblemStyle } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import { problemFor } from './problem.ts'
import { traceOf } from './trace.ts'

/** What is no HTTP is answered by a problem as well, written by hand: there is no request that it would belong to. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { clock, style }: { clock: Pick<Clock, 'now'>; style?: ProblemStyle | undefined },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { traceId } = traceOf(undefined)
  const place = { instance: '/', traceId, clock, style, problemOf: () => undefined }
  const { document } = problemFor(meaningOf(error.code), place)
  const body = JSON.stringify(document)
  const head = [
    `HTTP/1.1 ${document.status} ${document.title}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function meaningOf(code: string | undefined): Failure {
  switch (code) {
    case 'HPE_INVALID_URL':
    case 'HPE_INVALID_PATH':
      return failures.REST_BAD_PATH({ field: 'a segment', rule: 'it has characters that no path has' })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return failures.SERVER_BODY_LATE({ seconds: 30 })
    case 'HPE_HEADER_OVERFLOW':
      return failures.REST_HEADERS_TOO_LARGE()
    default:
      return failures.REST_NOT_HTTP()
  }
}
