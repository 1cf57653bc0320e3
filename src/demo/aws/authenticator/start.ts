import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../../core/clock.ts'
import { systemClock } from '../../../core/clock.ts'
import { createSelfSigned } from '../../../pki/index.ts'
import type { Judge, ReviewStatus } from './judge.ts'
import { judge } from './judge.ts'

export interface Authenticator extends AsyncDisposable {
  /** Of TokenReviews of authentication.k8s.io/v1. */
  url: string
  /** Vouches for its certificate. */
  caPem: string
  /** What an API server takes for `--authentication-token-webhook-config-file`. */
  kubeconfig: string
  /** What was answered, tokens left out. */
  answers: readonly ReviewStatus[]
  close(): Promise<void>
}

export interface AuthenticatorOptions extends Judge {
  /** Of its certificate. Default: the system's. */
  clock?: Clock
}

interface TokenReview {
  apiVersion?: string
  kind?: string
  spec?: { token?: string }
}

const apiVersion = 'authentication.k8s.io/v1'
const lifetimeMs = 24 * 3_600_000

export async function startAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { clock = systemClock } = options
  const { certPem, keyPem } = await createSelfSigned({
    subject: { commonName: 'aws-authenticator' },
    sans: { ipAddresses: ['127.0.0.1'] },
    clock,
    lifetimeMs,
  })
  const answers: ReviewStatus[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const review: TokenReview = JSON.parse(Buffer.concat(await Array.fromAsync<Buffer>(request)).toString())
    const { token } = review.spec ?? {}
    const isReview = review.apiVersion === apiVersion && review.kind === 'TokenReview' && typeof token === 'string'
    if (!isReview) return void response.writeHead(400).end()
    const status = await judge(token, options)
    answers.push(status)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ apiVersion, kind: 'TokenReview', status }))
  }

  const server = createServer(
    { cert: certPem, key: keyPem.reveal(), keepAliveTimeout: 600_000 },
    (request, response) => {
      answer(request, response).catch(() => response.destroy())
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/authenticate`
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { url, caPem: certPem, kubeconfig: kubeconfigOf(url, certPem), answers, close, [Symbol.asyncDispose]: close }
}

/** JSON, which is YAML. */
const kubeconfigOf = (server: string, caPem: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'authenticator',
        cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') },
      },
    ],
    users: [{ name: 'api-server', user: {} }],
    contexts: [{ name: 'webhook', context: { cluster: 'authenticator', user: 'api-server' } }],
    'current-context': 'webhook',
  })
