import type { IncomingHttpHeaders } from 'node:http'
import { pieceBytes } from '../../core/pieces.ts'
import { failures } from '../failures.ts'
import type { Room } from './answer.ts'
import { Answer } from './answer.ts'
import { LineBuffer } from './lines.ts'
import type { Lost } from './transport.ts'

export interface WatchContext {
  method: string
  path: string
  server: string
}

type Line = string | undefined

export interface WatchLimits {
  /** Read ahead of who takes the lines. */
  bufferBytes: number
  /** Without a bound, a line that never ends would fill the memory. Default 16 MiB. */
  lineBytes?: number
  /** For an answer that is no watch. */
  room?: Room
}

/** The lines of an open watch, read no faster than they are taken. */
export class WatchStream extends Answer {
  readonly #context: WatchContext
  readonly #bufferBytes: number
  readonly #lineBytes: number
  readonly #opened: () => void
  readonly #lines = new LineBuffer()
  #taker: { resolve(line: Line): void; reject(reason: unknown): void } | undefined
  #paused = false
  #over = false
  #onOver: () => void = () => {}
  #failure: { reason: unknown } | undefined

  constructor(context: WatchContext, limits: WatchLimits, opened: (lost?: Lost) => void) {
    const { bufferBytes, lineBytes = 16 * 2 ** 20, room } = limits
    super(opened, { ...(room && { room }) })
    this.#context = context
    this.#bufferBytes = bufferBytes
    this.#lineBytes = lineBytes
    this.#opened = opened
  }

  override onAnswer(status: number, headers: IncomingHttpHeaders): void {
    super.onAnswer(status, headers)
    if (this.isSuccess) this.#opened()
  }

  override onData(chunk: Buffer): void {
    if (!this.isSuccess) super.onData(chunk)
    else this.#onLines(chunk)
  }

  #onLines(chunk: Buffer): void {
    this.#lines.push(chunk)
    if (this.#taker) this.#offer()
    // Whoever still waits after the offer waits for the end of a line.
    if (this.#taker) this.#limitLine()
    else if (this.#heldBytes > this.#bufferBytes) this.#pause()
  }

  get #heldBytes(): number {
    return this.#lines.size + this.#lines.pieces * pieceBytes
  }

  #limitLine(): void {
    if (this.#heldBytes <= this.#lineBytes) return
    const detail = `a line of the watch is longer than ${this.#lineBytes / 2 ** 20} MiB`
    this.fail(failures.KUBE_BAD_ANSWER({ ...this.#context, detail }))
  }

  override onEnd(): void {
    // Ended before it was answered: a change of identity while it was being opened. There is nothing to read.
    if (this.status === 0) this.onAnswer(200, {})
    if (this.isSuccess) this.#finish()
    else super.onEnd()
  }

  override onLost(lost: Lost): void {
    const { server } = this.#context
    if (!this.isSuccess) super.onLost(lost)
    else this.#finish({ reason: failures.KUBE_UNREACHABLE({ server, detail: lost.message }, lost.cause) })
  }

  /** The next line; undefined after the last. Throws once what arrived before a failure is taken. One taker at a time. */
  take(): Line | Promise<Line> {
    const line = this.#lines.next()
    if (line === undefined) return this.#over ? this.#last() : this.#wait()
    if (this.#paused && this.#heldBytes < this.#bufferBytes / 2) this.#resume()
    return line
  }

  /** Calls once, when nothing more will come from the network: at once where answer and end came together. */
  whenOver(call: () => void): void {
    if (this.#over) call()
    else this.#onOver = call
  }

  /** Drops what was not taken; a taker who waits gets the end. */
  cancel(): void {
    this.#stop(undefined)
  }

  /** Drops what was not taken; takers get the reason. */
  fail(reason: unknown): void {
    this.#stop({ reason })
  }

  #stop(failure: { reason: unknown } | undefined): void {
    this.exchange?.cancel()
    this.#lines.clear()
    this.#failure ??= failure
    this.#finish()
  }

  #finish(failure?: { reason: unknown }): void {
    if (this.#over) return
    this.#over = true
    this.#failure ??= failure
    this.#onOver()
    this.#offer()
  }

  /** A last event may lack its line end; what is no whole event is for the reader to complain about. */
  #last(): Line {
    if (this.#failure) throw this.#failure.reason
    return this.#lines.rest().trim() || undefined
  }

  #wait(): Promise<Line> {
    // However full the buffer is, there is no whole line in it: only reading on can bring its end.
    if (this.#paused) this.#resume()
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject }
    })
  }

  #offer(): void {
    const taker = this.#taker
    if (!taker) return
    try {
      const line = this.#lines.next() ?? (this.#over ? this.#last() : undefined)
      if (line === undefined && !this.#over) return
      this.#taker = undefined
      taker.resolve(line)
    } catch (error) {
      this.#taker = undefined
      taker.reject(error)
    }
  }

  #pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.exchange?.pause()
  }

  #resume(): void {
    this.#paused = false
    this.exchange?.resume()
  }
}
