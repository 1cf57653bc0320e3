// API servers and issuers of a fleet, as cheap as they can be, in a process of their own. Loopback only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { standInCertificate } from '../shared/stand-in.ts'
import type { Counts, Mood, StandIns } from './stand-ins-contract.ts'

const [clusters = 0, issuers = 0] = process.argv.slice(2).map(Number)

const mood: Mood = { tokenSeconds: [] }
const counts: Counts = { calls: 0, tokens: 0, discoveries: 0 }
const { caPem, tls } = await standInCertificate()

const answers: Readonly<Record<string, string>> = {
  'GET /version': JSON.stringify({ major: '1', minor: '36', gitVersion: 'v1.36.3' }),
  'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews': JSON.stringify({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {},
    status: { allowed: true },
  }),
  'GET /api/v1/namespaces/default': JSON.stringify({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'default', uid: '1', resourceVersion: '1', labels: { 'kubernetes.io/metadata.name': 'default' } },
  }),
}

/** One that hangs takes every connection, and every request, and answers none. */
const apiServer = (number: number) =>
  createSecureServer(tls, (request: Http2ServerRequest, response: Http2ServerResponse) => {
    counts.calls += 1
    if (mood.hangingCluster === number) return
    const isKnown = request.headers.authorization?.startsWith('Bearer ')
    const found = isKnown ? answers[`${request.method} ${request.url.split('?')[0]}`] : undefined
    response.writeHead(found ? (request.method === 'POST' ? 201 : 200) : isKnown ? 404 : 401, json)
    response.end(found ?? '{}')
  })

const json = { 'content-type': 'application/json' }

function issuer(number: number) {
  const server = createServer(tls, (request: IncomingMessage, response: ServerResponse) => {
    const isToken = request.url === '/token'
    if (isToken) counts.tokens += 1
    else counts.discoveries += 1
    if (mood.hangingIssuer === number) return
    const url = urlOf(server)
    const expires_in = mood.tokenSeconds[number] ?? 3_600
    const document = isToken
      ? { access_token: `token-${counts.tokens}`, token_type: 'Bearer', expires_in }
      : { issuer: url, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys` }
    response.writeHead(200, json)
    response.end(JSON.stringify(document))
  })
  return server
}

const urlOf = (server: Server): string => `https://127.0.0.1:${(server.address() as AddressInfo).port}`

async function listening<S extends Server>(server: S): Promise<S> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve())
  })
  return server
}

/** What is posted is the new mood; the answer is what was counted since the last time. */
const control = createHttpServer(async (request, response) => {
  const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
  if (text !== '') {
    delete mood.hangingCluster
    delete mood.hangingIssuer
    Object.assign(mood, JSON.parse(text))
  }
  response.end(JSON.stringify(counts))
  Object.assign(counts, { calls: 0, tokens: 0, discoveries: 0 })
})

async function several<S extends Server>(count: number, make: (number: number) => S): Promise<string[]> {
  const urls: string[] = []
  for (let number = 0; number < count; number++) urls.push(urlOf(await listening(make(number))))
  return urls
}

const facts: StandIns = {
  caPem,
  clusters: await several(clusters, apiServer),
  issuers: await several(issuers, issuer),
  control: urlOf(await listening(control)).replace('https', 'http'),
}
console.log(JSON.stringify(facts))
