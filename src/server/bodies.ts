import type { Http2ServerRequest } from 'node:http2'
import type { Clock } from '../core/clock.ts'
import { pieceBytes } from '../core/pieces.ts'
import { failures } from './failures.ts'

/** Far above what an API server stores: a review carries an object twice, a conversion a page of a list. */
export const bodyLimitBytes = 8 * 1024 * 1024

const bodyWithinMs = 30_000
/** From then on a body has to come at this pace at least. */
const mayBeSlowMs = 5_000
const slowestBytesPerSecond = 16 * 1024
/** Bodies that are not whole, at a time. */
const mostUnfinished = 2_000

/** One body, from its first byte until its request is answered. */
interface Body {
  bytes: number
  /** What it takes of memory: its pieces weigh as well. */
  weight: number
  /** While it is being read, or waits for its turn. */
  giveUp: ((error: Error) => void) | undefined
}

export interface HeldBody extends Disposable {
  /** The whole body. What comes after a failure is read and dropped, so that the answer gets through. */
  read(): Promise<Buffer>
  /** Until this is disposed of, the whole body may be given up for others, as while it was read. */
  waiting(giveUp: (error: Error) => void): Disposable
}

/**
 * The bodies of all requests together. When they take more memory than `mostBytes`, the longest that is not whole yet is
 * given up; one that waits for its turn counts as not whole. When too many are not whole, the one that began first is.
 * Reviews are short and come at once, so it is not they that make room for a client who fills the process.
 */
export class Bodies {
  readonly #mostBytes: number
  readonly #clock: Pick<Clock, 'countdown'>
  readonly #unfinished = new Set<Body>()
  #weight = 0

  constructor(mostBytes: number, clock: Pick<Clock, 'countdown'>) {
    this.#mostBytes = mostBytes
    this.#clock = clock
  }

  of(request: Http2ServerRequest): HeldBody {
    const body: Body = { bytes: 0, weight: 0, giveUp: undefined }
    return {
      read: () => this.#read(request, body),
      waiting: (giveUp) => this.#wait(body, giveUp),
      [Symbol.dispose]: () => this.#release(body),
    }
  }

  #release(body: Body): void {
    this.#unfinished.delete(body)
    this.#weight -= body.weight
    body.weight = 0
  }

  #wait(body: Body, giveUp: (error: Error) => void): Disposable {
    const over = () => {
      this.#unfinished.delete(body)
      body.giveUp = undefined
    }
    body.giveUp = (error) => {
      over()
      this.#release(body)
      giveUp(error)
    }
    this.#unfinished.add(body)
    this.#makeRoom()
    return { [Symbol.dispose]: over }
  }

  #read(request: Http2ServerRequest, body: Body): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > bodyLimitBytes) {
      request.resume()
      return Promise.reject(tooLarge())
    }
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let pace: Disposable | undefined
      const over = () => {
        pace?.[Symbol.dispose]()
        this.#unfinished.delete(body)
        body.giveUp = undefined
      }
      const fail = (error: Error) => {
        over()
        this.#release(body)
        request.removeAllListeners('data')
        request.resume()
        reject(error)
      }
      const watchPace = (afterMs: number, elapsedMs: number) => {
        pace = this.#clock.countdown(afterMs, () => {
          const ms = elapsedMs + afterMs
          if (ms >= bodyWithinMs) fail(failures.SERVER_BODY_LATE({ seconds: bodyWithinMs / 1_000 }))
          else if (body.bytes < (slowestBytesPerSecond * ms) / 1_000)
            fail(failures.SERVER_BODY_SLOW({ bytes: slowestBytesPerSecond }))
          else watchPace(1_000, ms)
        })
      }
      watchPace(mayBeSlowMs, 0)
      body.giveUp = fail
      this.#unfinished.add(body)
      this.#makeRoom()
      request.on('data', (chunk: Buffer) => {
        body.bytes += chunk.length
        body.weight += chunk.length + pieceBytes
        this.#weight += chunk.length + pieceBytes
        chunks.push(chunk)
        if (body.bytes > bodyLimitBytes) fail(tooLarge())
        else this.#makeRoom()
      })
      request.once('end', () => {
        over()
        resolve(Buffer.concat(chunks))
      })
      request.once('error', () => fail(failures.SERVER_BODY_CUT()))
      request.once('aborted', () => fail(failures.SERVER_BODY_CUT()))
    })
  }

  #makeRoom(): void {
    const [first] = this.#unfinished
    if (this.#unfinished.size > mostUnfinished) first?.giveUp?.(failures.SERVER_BUSY())
    while (this.#weight > this.#mostBytes) {
      let longest = first
      for (const body of this.#unfinished) if (!longest || body.weight >= longest.weight) longest = body
      if (!longest?.giveUp) return
      longest.giveUp(failures.SERVER_BUSY())
    }
  }
}

const tooLarge = () => failures.SERVER_BODY_TOO_LARGE({ limitBytes: bodyLimitBytes })
