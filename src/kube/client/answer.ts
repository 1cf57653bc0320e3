import { constants } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { pieceBytes } from '../../core/pieces.ts'
import type { Status } from '../failures.ts'
import { KubeFailure } from '../failures.ts'
import type { Exchange, Lost, Receiver } from './transport.ts'

const unzip = promisify(gunzip)

/** How much of an answer that is no Status is repeated in an error. */
const shownCharacters = 1_024

/** What the answers of one client that are under way may hold together. No single one is unpacked to more. */
export class Room {
  readonly bytes: number
  #free: number

  constructor(bytes = constants.MAX_STRING_LENGTH) {
    this.bytes = bytes
    this.#free = bytes
  }

  /** Whether there is room for it; what there is none for takes none. */
  take(bytes: number): boolean {
    if (bytes > this.#free) return false
    this.#free -= bytes
    return true
  }

  give(bytes: number): void {
    this.#free += bytes
  }
}

export interface AnswerOptions {
  /** Whether gzip was asked for. What comes packed all the same is not unpacked. */
  packed?: boolean | undefined
  /** Shared with the other answers under way. Default: as much as one string can hold. */
  room?: Room
  /** Told the first piece of the body of a "yes", unless it is packed. */
  onBegin?: ((begin: Buffer) => void) | undefined
}

/** A whole answer, status and body. */
export class Answer implements Receiver {
  status = 0
  headers: IncomingHttpHeaders = {}
  /** The exchange it is being received from. */
  exchange: Exchange | undefined
  readonly #done: (lost?: Lost) => void
  readonly #mayBePacked: boolean
  readonly #room: Room
  readonly #onBegin: ((begin: Buffer) => void) | undefined
  #chunks: Buffer[] = []
  /** Of the room. */
  #taken = 0
  #isTooLong = false

  constructor(done: (lost?: Lost) => void, options: AnswerOptions = {}) {
    const { packed = false, room = new Room(), onBegin } = options
    this.#done = done
    this.#mayBePacked = packed
    this.#room = room
    this.#onBegin = onBegin
  }

  onAnswer(status: number, headers: IncomingHttpHeaders): void {
    this.status = status
    this.headers = headers
  }

  onData(chunk: Buffer): void {
    if (this.#isTooLong) return
    if (this.#taken === 0 && this.isSuccess && !this.headers['content-encoding']) this.#onBegin?.(chunk)
    const bytes = chunk.length + pieceBytes
    if (!this.#room.take(bytes)) {
      this.#cutOff()
      return
    }
    this.#taken += bytes
    this.#chunks.push(chunk)
  }

  /** Gives its room to others: nothing more is received. */
  release(): void {
    this.#room.give(this.#taken)
    this.#taken = 0
  }

  onEnd(): void {
    this.#done()
  }

  onLost(lost: Lost): void {
    this.#done(lost)
  }

  get isSuccess(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get isText(): boolean {
    return this.headers['content-type']?.startsWith('text/') ?? false
  }

  /** Longer than there was room for: what arrived of it is dropped. */
  get isTooLong(): boolean {
    return this.#isTooLong
  }

  #cutOff(): void {
    this.#isTooLong = true
    this.exchange?.cancel()
    this.#chunks = []
    this.#done()
  }

  /** Undefined when it is too long, cannot be unpacked, or is packed though nobody asked for that. */
  async text(): Promise<string | undefined> {
    const isPacked = this.headers['content-encoding'] === 'gzip'
    if (this.#isTooLong || (isPacked && !this.#mayBePacked)) return undefined
    const [first] = this.#chunks
    try {
      const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
      return (isPacked ? await unzip(bytes, { maxOutputLength: this.#room.bytes }) : bytes).toString('utf8')
    } catch {
      return undefined
    }
  }
}

/** Undefined when `text` is not whole JSON. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The server's "no", in its own words where it has some. */
export async function failureOf(answer: Answer, context: { method: string; path: string }): Promise<KubeFailure> {
  const text = (await answer.text()) ?? ''
  const parsed = parseJson(text)
  const { status: code } = answer
  if (isStatus(parsed)) return new KubeFailure({ ...parsed, code }, context)
  // A proxy's HTML page helps nobody; the plain text of /readyz names what is not ready.
  const plain = answer.headers['content-type']?.startsWith('text/plain') ? text.trim().slice(0, shownCharacters) : ''
  return new KubeFailure({ code, ...(plain !== '' && { message: plain }) }, context)
}

export const isStatus = (value: unknown): value is Status =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
