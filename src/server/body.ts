import type { Http2ServerRequest } from 'node:http2'
import type { Clock } from '../core/clock.ts'
import { failures } from './failures.ts'

/** Far above what an API server stores: a review carries an object twice, a conversion a page of a list. */
export const bodyLimitBytes = 8 * 1024 * 1024

const bodyWithinMs = 30_000

/** What comes after a failure is read and dropped, so that the answer gets through. */
export function readBody(request: Http2ServerRequest, clock: Pick<Clock, 'countdown'>): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bodyLimitBytes) {
    request.resume()
    return Promise.reject(tooLarge())
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const late = clock.countdown(bodyWithinMs, () => fail(failures.SERVER_BODY_LATE({ seconds: bodyWithinMs / 1_000 })))
    const fail = (error: Error) => {
      late[Symbol.dispose]()
      request.removeAllListeners('data')
      request.resume()
      reject(error)
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyLimitBytes) fail(tooLarge())
      else chunks.push(chunk)
    })
    request.once('end', () => {
      late[Symbol.dispose]()
      resolve(Buffer.concat(chunks))
    })
    request.once('error', () => fail(failures.SERVER_BODY_CUT()))
    request.once('aborted', () => fail(failures.SERVER_BODY_CUT()))
  })
}

const tooLarge = () => failures.SERVER_BODY_TOO_LARGE({ limitBytes: bodyLimitBytes })
