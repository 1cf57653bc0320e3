// The hub's part that lets people break glass, as `lanyard hub` puts it together, in a process of its own.
import '../reach/ready.ts'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { accessHub } from '../../src/access/hub/index.ts'
import { defaultAccessSettings } from '../../src/access/settings.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { everywhere } from '../../src/core/egress.ts'
import { aborted, runTogether } from '../../src/core/lifecycle.ts'
import { silentLog } from '../../src/core/log.ts'
import { createMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { RawAnswer, RawRoute } from '../../src/fleet/rest.ts'
import { createSpokes, defaultSpokeSettings, spokeView } from '../../src/fleet/spoke/index.ts'
import { leading } from '../../src/kube/election.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { selfSigned } from '../../src/server/index.ts'
import { restServer } from '../../src/server/rest/index.ts'
import { connectTo } from '../shared/connect.ts'
import { constantPath, usagePath } from './questions.ts'
import type { HubFacts, HubTask, Usage } from './tasks.ts'
import { hubNamespace } from './world.ts'

const { kubeconfig, reviewsPerSecond } = JSON.parse(process.argv[2] ?? '') as HubTask
const kube = await connectTo(kubeconfig)
const metrics = await createMetrics()
const common = { clock: systemClock, random: systemRandom, log: silentLog, metrics, kube }
const view = spokeView(kube, common)
const spokes = createSpokes({ ...common, view, settings: () => defaultSpokeSettings })
const events = eventRecorder(kube, { ...common, component: 'lanyard-hub' })
const own = { ...defaultAccessSettings, limits: { ...defaultAccessSettings.limits, reviewsPerSecond } }
const settings = () => own
const hub = accessHub({
  ...{ ...common, spokes, events, settings, spokeView: view, egress: () => everywhere },
  ...{ namespace: hubNamespace, checkpoint: passBy, replica: `bench-${process.pid}` },
})

const constant: RawAnswer = {
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    status: {
      allowed: false,
      reason: 'There is nothing that would allow this, and this text is as long as the usual one.',
    },
  }),
}

const lease: Usage['lease'] = { won: 0, isHeld: false }
const election = { ...common, namespace: hubNamespace, name: 'bench', identity: `bench-${process.pid}` }
const lead = leading(kube, election, async (signal) => {
  lease.won += 1
  lease.isHeld = true
  await aborted(signal)
  lease.isHeld = false
})

const loop = monitorEventLoopDelay({ resolution: 1 })
loop.enable()

function usage(): Usage {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const loopP99 = loop.percentile(99) / 1e6
  loop.reset()
  return { loopP99, rss, heapUsed, cpuMs: (user + system) / 1_000, lease: { ...lease } }
}

/** Reads what it is sent, as every answer has to. */
const route = (method: 'GET' | 'POST', path: string, answer: () => RawAnswer): RawRoute => ({
  handle: async ({ body }) => {
    await new Promise((resolve) => body.once('end', resolve).resume())
    return answer()
  },
  ...{ method, path, summary: path, operationId: path, tag: 'Bench', answers: { 200: 'An answer.' } },
})
const routes = [
  route('POST', constantPath, () => constant),
  route('GET', usagePath, () => ({ status: 200, contentType: 'application/json', body: JSON.stringify(usage()) })),
]
const certificate = await selfSigned({ names: { ipAddresses: ['127.0.0.1'] }, clock: systemClock })()
const server = restServer({
  ...common,
  ...{ access: hub.access, metricsArea: 'access', listen: { host: '127.0.0.1', port: 0 } },
  api: { ...hub.api, raw: [...(hub.api.raw ?? []), ...routes] },
  certificate: async () => certificate,
})
const { signal } = new AbortController()
runTogether(signal, [view.run, spokes.run, hub.everywhere, server.run, lead]).catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
const { url } = await server.listening
const facts: HubFacts = { url, caPem: certificate.certPem }
console.log(JSON.stringify(facts))
process.once('SIGTERM', () => process.exit())
