import type { IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ControlPlane } from './control-plane.ts'
import type { RawRequest } from './raw-request.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** An event of a watch as it is on the wire. */
export interface Line<T = WatchedObject> {
  type: string
  object: T
}

interface WatchedObject {
  kind: string
  metadata: {
    name?: string
    resourceVersion: string
    annotations?: Record<string, string>
    labels?: Record<string, string>
  }
  code?: number
  reason?: string
  message?: string
  data?: Record<string, string>
}

export interface RawWatch<T = WatchedObject> {
  /** So far. */
  readonly lines: Line<T>[]
  /** Whether the server has ended it. */
  isOver: boolean
  /** Undefined until it has begun. */
  headers: IncomingHttpHeaders | undefined
  hangUp(): void
}

/** A watch over HTTP/1.1 with nothing of our own client in between. It is hung up when the test is over. */
export function rawWatch<T = WatchedObject>(
  t: TestScope,
  plane: ControlPlane,
  { path, headers = {}, certificate = plane.admin }: Pick<RawRequest, 'path' | 'headers' | 'certificate'>,
): RawWatch<T> {
  const { hostname, port } = new URL(plane.url)
  const lines: Line<T>[] = []
  const asked = httpsRequest(
    {
      host: hostname,
      port,
      path,
      headers,
      agent: false,
      ca: plane.caPem,
      ...(certificate && { cert: certificate.certPem, key: certificate.keyPem.reveal() }),
    },
    (answer) => {
      seen.headers = answer.headers
      let rest = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts.filter((part) => part !== '').map((part) => JSON.parse(part) as Line<T>))
      })
      answer.once('end', () => {
        seen.isOver = true
      })
      answer.on('error', () => {})
    },
  )
  const seen: RawWatch<T> = { lines, isOver: false, headers: undefined, hangUp: () => void asked.destroy() }
  asked.on('error', () => {})
  asked.end()
  teardown(t, seen.hangUp)
  return seen
}
