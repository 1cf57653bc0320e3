import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/core/clock.ts'
import { aborted, runTogether } from '../../../src/core/lifecycle.ts'
import { createLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { leading } from '../../../src/kube/election.ts'
import { informer } from '../../../src/kube/informer.ts'
import { configMaps, secrets } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { answer, task } from '../tasks.ts'

const { kubeconfig, namespace, seconds, lease, renewEveryMs } = task<'agent'>()
let renewals = 0
const kube = await connectTo(kubeconfig, {
  onRequest: ({ method, target, code }) => {
    if (method === 'PUT' && target.startsWith('leases') && code === 200) renewals++
  },
})

const stop = new AbortController()
const deps = { clock: systemClock, random: systemRandom, log: createLog({ level: 'warn' }) }
const informers = [informer(kube.of(configMaps, namespace), deps), informer(kube.of(secrets, namespace), deps)] as const
let events = 0
for (const each of informers) {
  each.on(() => {
    events++
  })
}
const election = { ...deps, namespace, name: lease, identity: lease, retryPeriodMs: renewEveryMs }
const running = runTogether(stop.signal, [...informers.map(({ run }) => run), leading(kube, election, aborted)])

await Promise.race([sleep(seconds * 1_000), running])
const { rss, heapUsed, external } = process.memoryUsage()
answer<'agent'>({
  rssBytes: rss,
  heapBytes: heapUsed,
  externalBytes: external,
  objects: informers.reduce((sum, { size }) => sum + size, 0),
  events,
  renewals,
})
