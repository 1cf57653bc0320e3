import { KubeConfig, makeInformer } from '@kubernetes/client-node'
import { answer, expect, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, resourceVersion, expected, ...times } = task<'informer'>()
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const path = `/api/v1/namespaces/${namespace}/configmaps`

const result = await timed(times, async () => {
  let seen = 0
  // Its list is empty and as old as the first event, so that all events come through the watch.
  const kept = makeInformer(config, path, async () => ({ metadata: { resourceVersion }, items: [] }))
  await new Promise<void>((resolve, reject) => {
    kept.on('change', () => {
      if (++seen === expected) resolve()
    })
    kept.on('error', reject)
    kept.start()
  })
  await kept.stop()
  expect('changes told', seen, expected)
})
answer<'informer'>(result)
