// The same requests as a hub makes, by a client that does nothing else. One JSON argument, one JSON line.
import type { ClientHttp2Session } from 'node:http2'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { needs } from '../../src/fleet/spoke/needs.ts'
import { connectTo } from '../shared/connect.ts'
import { inParallel } from '../shared/timing.ts'
import { clusterName, fleetNamespace, isByKubeconfig, issuerOf } from './fleet.ts'
import { targetOf } from './groups.ts'
import { steadyLoad } from './load.ts'
import type { FloorTask } from './tasks.ts'

const task = JSON.parse(process.argv[2] ?? '') as FloorTask
const { standIns, clusters } = task
const ca = standIns.caPem

function token(issuer: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${issuer}/token`, { method: 'POST', ca, agent: false }, async (answer) => {
      const text = Buffer.concat(await Array.fromAsync<Buffer>(answer)).toString()
      resolve((JSON.parse(text) as { access_token: string }).access_token)
    })
    asked.once('error', reject)
    asked.end('grant_type=client_credentials')
  })
}

function ask(session: ClientHttp2Session, authorization: string, method: string, path: string, body?: string) {
  return new Promise<unknown>((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, authorization })
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.once('error', reject)
    stream.once('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
    stream.end(body)
  })
}

const sessions = new Map<number, { session: ClientHttp2Session; authorization: string }>()

async function open(cluster: number) {
  const { issuers } = standIns
  const issuer = issuers[issuerOf(cluster, issuers.length)] ?? ''
  const authorization = `Bearer ${isByKubeconfig(cluster) ? 'token' : await token(issuer)}`
  const opened = { session: connect(standIns.clusters[cluster] ?? '', { ca }), authorization }
  sessions.set(cluster, opened)
  return opened
}

/** Tokens, versions and reviews of all, and a status for each. */
async function check(): Promise<{ ms: number }> {
  const kube = await connectTo(task.kubeconfig)
  const configs = kube.of(ClusterConfig.resource, fleetNamespace)
  const verbs = needs.flatMap((need) => need.verbs)
  const lastTransitionTime = new Date().toISOString()
  const startedAt = performance.now()
  await inParallel(clusters, 64, async (cluster) => {
    const { session, authorization } = await open(cluster)
    await ask(session, authorization, 'GET', '/version')
    const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    await Promise.all(verbs.map((verb) => ask(session, authorization, 'POST', reviews, JSON.stringify({ verb }))))
    const condition = { type: 'Ready', status: 'True', reason: 'Floor', message: '', lastTransitionTime }
    const body = { status: { conditions: [condition] } }
    await configs.patch(clusterName(cluster), { type: 'merge', body }, { subresource: 'status' })
  })
  return { ms: performance.now() - startedAt }
}

async function load() {
  const { rate, phaseMs, rounds } = task
  const call = async (cluster: number) => {
    const { session, authorization } = sessions.get(cluster) ?? (await open(cluster))
    await ask(session, authorization, 'GET', '/api/v1/namespaces/default')
  }
  await inParallel(clusters, 64, call)
  const steady = (forMs: number) =>
    steadyLoad({
      ...{ rate, forMs, call, sleep: (ms: number) => delay(ms), now: () => performance.now() },
      target: (number) => targetOf(number, { clusters, issuers: standIns.issuers.length }),
    })
  await steady(1_000)
  const answer = []
  for (let round = 0; round < rounds; round++) answer.push(await steady(phaseMs))
  return answer
}

console.log(JSON.stringify(task.do === 'floor-check' ? await check() : await load()))
process.exit()
