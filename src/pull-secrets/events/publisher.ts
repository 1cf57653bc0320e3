import { failures } from '../failures.ts'
import type { CallHttp } from '../sinks/http-call.ts'
import { NoAnswer } from '../sinks/http-call.ts'
import type { CloudEvent } from './cloud-event.ts'
import { structuredMode } from './cloud-event.ts'

/** Where events go. To resolve is to have it for good; to reject (EVENT_UNPUBLISHED) is to get it again. */
export interface Publisher {
  readonly name: string
  publish(event: CloudEvent, signal: AbortSignal): Promise<void>
}

export interface HttpPublisherOptions {
  url: string
  call: CallHttp
  /** PEM. */
  ca?: string
}

/** POST in structured mode; every 2xx is an acknowledgement. */
export const httpPublisher = ({ url, call, ca }: HttpPublisherOptions): Publisher => ({
  name: 'http',
  async publish(event, signal) {
    const unpublished = (detail: string, cause?: unknown) =>
      failures.EVENT_UNPUBLISHED({ publisher: 'http', detail }, cause)
    const headers = {
      'content-type': `${structuredMode}; charset=utf-8`,
      ...(event.traceparent && { traceparent: event.traceparent }),
    }
    try {
      const { status } = await call({ method: 'POST', url, headers, body: event, ...(ca && { ca }) }, signal)
      if (status < 200 || status > 299) throw unpublished(`status ${status}`)
    } catch (error) {
      throw error instanceof NoAnswer ? unpublished(error.code, error) : error
    }
  },
})
