import { setTimeout as sleep } from 'node:timers/promises'
import { CoordinationV1Api, CoreV1Api, KubeConfig, makeInformer, V1MicroTime } from '@kubernetes/client-node'
import { answer, task } from '../tasks.ts'

const { kubeconfig, namespace, seconds, lease, renewEveryMs } = task<'agent'>()
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const core = config.makeApiClient(CoreV1Api)
const coordination = config.makeApiClient(CoordinationV1Api)

let events = 0
const informers = [
  makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () => core.listNamespacedConfigMap({ namespace })),
  makeInformer(config, `/api/v1/namespaces/${namespace}/secrets`, () => core.listNamespacedSecret({ namespace })),
]
for (const informer of informers) {
  informer.on('change', () => {
    events++
  })
  informer.on('error', (error) => {
    throw error
  })
  await informer.start()
}

let renewals = 0
let held = await coordination.createNamespacedLease({
  namespace,
  body: { metadata: { name: lease }, spec: { holderIdentity: lease, leaseDurationSeconds: 15 } },
})
const end = Date.now() + seconds * 1_000
while (Date.now() < end) {
  const body = { ...held, spec: { ...held.spec, renewTime: new V1MicroTime() } }
  held = await coordination.replaceNamespacedLease({ name: lease, namespace, body })
  renewals++
  await sleep(renewEveryMs)
}
const { rss, heapUsed, external } = process.memoryUsage()
answer<'agent'>({
  rssBytes: rss,
  heapBytes: heapUsed,
  externalBytes: external,
  objects: informers.reduce((sum, informer) => sum + informer.list().length, 0),
  events,
  renewals,
})
