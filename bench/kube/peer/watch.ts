import { KubeConfig, Watch } from '@kubernetes/client-node'
import { answer, expect, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, resourceVersion, expected, ...times } = task<'watch'>()
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const path = `/api/v1/namespaces/${namespace}/configmaps`
const query = { resourceVersion, allowWatchBookmarks: true }

const result = await timed(times, async () => {
  let seen = 0
  await new Promise<void>((resolve, reject) => {
    const watching = new Watch(config).watch(
      path,
      query,
      (type) => {
        if (type !== 'BOOKMARK' && ++seen === expected) watching.then((controller) => controller.abort())
      },
      (error) => (error && seen < expected ? reject(error) : resolve()),
    )
  })
  expect('events received', seen, expected)
})
answer<'watch'>(result)
