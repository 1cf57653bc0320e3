import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { stringify } from 'yaml'
import type { Authority, CertifiedKey, Sans } from '../../src/pki/index.ts'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** As much of an API server as a look at a cluster asks for: `/version` and reviews of the caller's own rights. */
export interface SpokeStandIn {
  readonly url: string
  readonly authority: Authority
  /** That leads here. */
  readonly kubeconfig: string
  /** Paths that were asked for, newest last. */
  readonly asked: readonly string[]
  /** Changed in place, it counts for the next request. Undefined: as an API server answers. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Shows another certificate from the next connection on, and ends those there are. */
  show(certificate: CertifiedKey): void
  /** Ends connections; new ones are taken as before. */
  dropAll(): void
}

export const onLoopback: Partial<Sans> = { ipAddresses: ['127.0.0.1'] }

/** Answers 429, and asks to come back after so many seconds. */
export const askForPatience =
  (seconds: number): NonNullable<SpokeStandIn['answer']> =>
  (_, response) =>
    reply(response, 429, status(429, 'TooManyRequests'), { 'retry-after': String(seconds) })

/** Takes the request and never answers. */
export const neverAnswer: NonNullable<SpokeStandIn['answer']> = () => {}

export async function startSpokeStandIn(t: TestScope): Promise<SpokeStandIn> {
  const authority = await testAuthority('test-spoke-ca')
  const first = await issueForServer(authority, onLoopback)
  const asked: string[] = []
  const server = createServer(contextOf(first), (request, response) => {
    asked.push(request.url ?? '')
    request.resume()
    if (standIn.answer) standIn.answer(request, response)
    else answerAsApiServer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const standIn: SpokeStandIn = {
    url,
    authority,
    kubeconfig: kubeconfigFor(url, authority.certPem),
    asked,
    answer: undefined,
    show(certificate) {
      server.setSecureContext(contextOf(certificate))
      server.closeAllConnections()
    },
    dropAll: () => server.closeAllConnections(),
  }
  return standIn
}

const contextOf = ({ certPem, keyPem }: CertifiedKey) => ({ cert: certPem, key: keyPem.reveal() })

export function answerAsApiServer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const isReview = method === 'POST' && url.startsWith('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')
  if (url === '/version') reply(response, 200, { major: '1', minor: '36', gitVersion: 'v1.36.0' })
  else if (isReview) reply(response, 201, { kind: 'SelfSubjectAccessReview', status: { allowed: true } })
  else reply(response, 404, status(404, 'NotFound'))
}

const status = (code: number, reason: string) => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure' },
  ...{ code, reason, message: reason },
})

function reply(response: ServerResponse, code: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** With a token that means nothing. */
export const kubeconfigFor = (server: string, caPem: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name: 'u', user: { token: 'some-token' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
