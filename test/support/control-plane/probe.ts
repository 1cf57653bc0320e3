import type { RequestOptions } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Identities } from './identities.ts'

/** Each asks a program once whether it is ready. Not with Lanyard's own client: it must not be tested by itself. */

export const isEtcdReady = (socketPath: string): Promise<boolean> => isOk(httpRequest, { socketPath, path: '/health' })

export function isApiserverReady(port: number, { serverCaPem, admin }: Identities): Promise<boolean> {
  const identity = { ca: serverCaPem, cert: admin.certPem, key: admin.keyPem.reveal() }
  return isOk(httpsRequest, { host: '127.0.0.1', port, path: '/readyz', agent: false, ...identity })
}

export const isControllerManagerReady = (
  port: number,
  { serverCaPem }: Pick<Identities, 'serverCaPem'>,
): Promise<boolean> => isOk(httpsRequest, { host: '127.0.0.1', port, path: '/healthz', agent: false, ca: serverCaPem })

const answerWithinMs = 5_000

function isOk(request: typeof httpsRequest, options: RequestOptions & { ca?: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ ...options, signal: AbortSignal.timeout(answerWithinMs) }, (answer) => {
      answer.resume().once('close', () => resolve(answer.statusCode === 200))
    })
    asked.once('error', () => resolve(false)).end()
  })
}
