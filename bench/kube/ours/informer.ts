import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { informer } from '../../../src/kube/informer.ts'
import { configMaps } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { answer, expect, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, resourceVersion, expected, ...times } = task<'informer'>()
const kube = await connectTo(kubeconfig)
const objects = kube.of(configMaps, namespace)

const result = await timed(times, async () => {
  const stop = new AbortController()
  let seen = 0
  // Its list is empty and as old as the first event, so that all events come through the watch.
  const source = {
    async *pages() {
      yield { metadata: { resourceVersion }, items: [] }
    },
    watch: objects.watch.bind(objects),
  }
  const kept = informer(source, { clock: systemClock, random: systemRandom, log: silentLog })
  kept.on(() => {
    if (++seen === expected) stop.abort()
  })
  await kept.run(stop.signal)
  expect('changes told', seen, expected)
})
answer<'informer'>(result)
