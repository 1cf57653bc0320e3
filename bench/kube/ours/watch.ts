import { configMaps } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { answer, expect, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, resourceVersion, expected, ...times } = task<'watch'>()
const kube = await connectTo(kubeconfig)
const result = await timed(times, async () => {
  let seen = 0
  for await (const event of kube.of(configMaps, namespace).watch({ resourceVersion })) {
    if (event.type !== 'BOOKMARK' && ++seen === expected) break
  }
  expect('events received', seen, expected)
})
answer<'watch'>(result)
