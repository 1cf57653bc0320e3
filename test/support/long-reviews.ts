/** Questions of API servers about requests with selectors of any length. */
import { setMaxListeners } from 'node:events'
import { connect } from 'node:tls'

/** A selector of so many bytes. */
export const longSelector = (length: number): string => 'a,'.repeat(Math.ceil(length / 2)).slice(0, -1)

export const policiesPath = (cluster: string): string => `/api/breakglass/webhook/authorize/${cluster}/policies`

/** The SubjectAccessReview that a kube-apiserver makes of such a selector: sixteen times as long. */
export function longReview(
  asked: { user: string; verb: string; namespace: string; resource?: string },
  length: number,
): Buffer {
  const { user, verb, namespace, resource = 'secrets' } = asked
  const resourceAttributes = { namespace, verb, version: 'v1', resource, labelSelector: { requirements: '$' } }
  const spec = { resourceAttributes, user, groups: ['system:authenticated'] }
  const review = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status: {} }
  const [start = '', end = ''] = JSON.stringify(review).split('"$"')
  const requirements = '{"key":"a","operator":"Exists"},'.repeat(Math.ceil(length / 2)).slice(0, -1)
  return Buffer.from(`${start}[${requirements}]${end}`)
}

export interface Target {
  url: string
  caPem: string
  cluster: string
  /** Of the webhook. Without one nobody knows who sends. */
  token?: string
  /** Where it is sent from. */
  localAddress?: string
}

export interface Flooded {
  /** Answers by what they mean to an API server. */
  denied: number
  noOpinion: number
  /** 401 and the like. */
  refused: number
  /** Connections that were ended without an answer. */
  unanswered: number
}

/** As an API server would send them that has so many at a time: each on a connection of its own, closed with its answer. */
export async function flood(
  target: Target,
  body: Buffer,
  { connections, signal }: { connections: number; signal: AbortSignal },
): Promise<Flooded> {
  setMaxListeners(0, signal)
  const found: Flooded = { denied: 0, noOpinion: 0, refused: 0, unanswered: 0 }
  const sendOn = async () => {
    while (!signal.aborted) {
      const answer = await answerTo(target, body, signal)
      if (!signal.aborted || answer !== undefined) found[meaningOf(answer)] += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, sendOn))
  return found
}

function meaningOf(answer: string | undefined): keyof Flooded {
  if (answer === undefined) return 'unanswered'
  if (answer.includes('"denied":true')) return 'denied'
  return answer.startsWith('HTTP/1.1 200') ? 'noOpinion' : 'refused'
}

/** The answer to what is sent, as soon as it is there; undefined where the connection ended before. */
function answerTo(target: Target, body: Buffer, signal: AbortSignal): Promise<string | undefined> {
  const { url, caPem, cluster, token, localAddress } = target
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: caPem,
      ALPNProtocols: ['http/1.1'],
      ...(localAddress !== undefined && { localAddress }),
    })
    const end = () => void socket.destroy()
    signal.addEventListener('abort', end, { once: true })
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      answer += text
      const [head = '', rest] = answer.split('\r\n\r\n', 2)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
      if (rest === undefined || rest.length < length) return
      resolve(answer)
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      signal.removeEventListener('abort', end)
      resolve(undefined)
    })
    socket.write(
      [
        `POST ${policiesPath(cluster)}?timeout=3s HTTP/1.1`,
        'host: hub',
        ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
        'content-type: application/json',
        `content-length: ${body.length}\r\n\r\n`,
      ].join('\r\n'),
    )
    // Piece by piece, as Go does: all at once would be encrypted at once, sixteen megabytes that nobody takes yet.
    let sent = 0
    const send = () => {
      while (sent < body.length && !socket.destroyed) {
        const piece = body.subarray(sent, sent + pieceBytes)
        sent += piece.length
        if (!socket.write(piece)) return
      }
    }
    socket.on('drain', send)
    send()
  })
}

const pieceBytes = 64 * 1024
