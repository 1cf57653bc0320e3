import { request } from 'node:https'
import type { Clock } from '../../core/clock.ts'

const mostBytes = 4 * 2 ** 20

export interface GetOptions {
  /** PEM. Default: the system's roots. */
  ca?: string | undefined
  clock: Pick<Clock, 'countdown'>
  deadlineMs: number
}

/** The JSON at an https address. Throws an Error that says why there is none. */
export async function getJson(url: string, { ca, clock, deadlineMs }: GetOptions): Promise<unknown> {
  const deadline = new AbortController()
  using _timer = clock.countdown(deadlineMs, () => deadline.abort(new Error(`no answer within ${deadlineMs} ms`)))
  try {
    return JSON.parse(await getText(url, ca, deadline.signal))
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  }
}

const getText = (url: string, ca: string | undefined, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { accept: 'application/json' }
    const sent = request(url, { headers, signal, agent: false, ...(ca !== undefined && { ca }) }, (answer) => {
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('error', reject)
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > mostBytes) sent.destroy(new Error(`the answer has more than ${mostBytes} bytes`))
        else chunks.push(chunk)
      })
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString())
        else reject(new Error(`it answered with ${answer.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end()
  })
