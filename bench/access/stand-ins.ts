// API servers of a fleet that answer reviews after five milliseconds, in a process of their own. Loopback only.
import { createServer as createHttpServer } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { standInCertificate } from '../shared/stand-in.ts'
import type { StandIns } from './tasks.ts'

const clusters = Number(process.argv[2])
const answerAfterMs = 5
let hanging: number | undefined

const { caPem, tls } = await standInCertificate()

const review = (group: string, kind: string, status: object): string =>
  JSON.stringify({ apiVersion: `${group}.k8s.io/v1`, kind, metadata: {}, spec: {}, status })
const answers: Readonly<Record<string, string>> = {
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': review('authorization', 'SubjectAccessReview', {
    allowed: true,
  }),
  '/apis/authentication.k8s.io/v1/selfsubjectreviews': review('authentication', 'SelfSubjectReview', {
    userInfo: { username: 'lanyard@example.com' },
  }),
}

/** One that hangs takes every connection, and every request, and answers none. */
function answer(number: number, request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (hanging === number) return
  const found = answers[request.url.split('?')[0] ?? '']
  setTimeout(() => {
    response.writeHead(found ? 201 : 404, { 'content-type': 'application/json' })
    response.end(found ?? '{}')
  }, answerAfterMs)
}

async function urlOf(server: Server, scheme = 'https'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const control = createHttpServer(async (request, response) => {
  const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
  hanging = text === '' ? undefined : Number(text)
  response.end()
})

const urls: string[] = []
for (let number = 0; number < clusters; number++) {
  urls.push(await urlOf(createSecureServer(tls, (request, response) => answer(number, request, response))))
}
const facts: StandIns = { caPem, clusters: urls, control: await urlOf(control, 'http') }
console.log(JSON.stringify(facts))
