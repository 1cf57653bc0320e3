import type { IncomingHttpHeaders } from 'node:http'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { constants } from 'node:http2'
import type { Exchange, Receiver, WireRequest } from './transport.ts'
import { describe, Lost } from './transport.ts'

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants

export interface ExchangeOwner {
  onClose(): void
  /** Given up before there was an answer. */
  onUnanswered(): void
  /** What the connection knows about the loss of this stream. */
  whyLost(streamId: number | undefined): { sent: boolean; lost: Lost | undefined }
}

/** One HTTP/2 stream. */
export class Http2Exchange implements Exchange {
  readonly #receiver: Receiver
  readonly #owner: ExchangeOwner
  readonly #stream: ClientHttp2Stream | undefined
  #answered = false
  #over = false
  #error: unknown

  constructor(
    session: ClientHttp2Session,
    pseudo: { authority: string; scheme: string },
    { method, path, headers, body }: WireRequest,
    receiver: Receiver,
    owner: ExchangeOwner,
  ) {
    this.#receiver = receiver
    this.#owner = owner
    headers[':method'] = method
    headers[':path'] = path
    headers[':authority'] = pseudo.authority
    headers[':scheme'] = pseudo.scheme
    try {
      const stream = session.request(headers, { endStream: body === undefined })
      this.#stream = stream
      stream.once('response', (answer) => {
        if (this.#over) return
        this.#answered = true
        receiver.onAnswer(Number(answer[':status']), answer as IncomingHttpHeaders)
        // Not before: Node tells of headers a tick late, and of data that came with them at once.
        stream.on('data', (chunk: Buffer) => {
          if (!this.#over) receiver.onData(chunk)
        })
      })
      // A stream cut off midway also "ends": by its server it has a code, with its session it is destroyed already.
      stream.on('end', () => {
        if (stream.rstCode === NGHTTP2_NO_ERROR && !stream.destroyed) this.#finish()
      })
      stream.on('error', (error) => {
        this.#error = error
      })
      stream.on('close', () => this.#onClose())
      if (body !== undefined) stream.end(body)
    } catch (error) {
      // The session ended in this very tick, or a header is not one.
      this.#error = error
      queueMicrotask(() => this.#onClose())
    }
  }

  cancel(): void {
    if (!this.#over && !this.#answered) this.#owner.onUnanswered()
    this.#over = true
    this.#stream?.close(NGHTTP2_CANCEL)
    this.#stream?.destroy()
  }

  pause(): void {
    this.#stream?.pause()
  }

  resume(): void {
    this.#stream?.resume()
  }

  /** Ends the answer here, without loss. */
  end(): void {
    if (this.#over) return
    this.cancel()
    this.#receiver.onEnd()
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.onEnd()
  }

  #onClose(): void {
    this.#owner.onClose()
    if (this.#over) return
    this.#over = true
    const stream = this.#stream
    const { sent, lost } = this.#owner.whyLost(stream?.id)
    const refused = stream === undefined || stream.pending || stream.rstCode === NGHTTP2_REFUSED_STREAM
    const detail = lost?.message ?? (this.#error ? describe(this.#error) : 'the connection was lost')
    this.#receiver.onLost(new Lost(detail, { sent: sent && !refused, cause: lost?.cause ?? this.#error }))
  }
}
