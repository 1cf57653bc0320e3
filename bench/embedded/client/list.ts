import { configMaps } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { timed } from '../../shared/timing.ts'
import { answer, task } from '../tasks.ts'
import { warmUp } from './warm-up.ts'

const { kubeconfig, namespace, pageSize, expected, ...times } = task<'list'>()
const kube = await connectTo(kubeconfig)
await warmUp(kube)
const { ms } = await timed(times, async () => {
  const { items } = await kube.of(configMaps, namespace).list({ pageSize })
  // The controllers put one of their own into every namespace.
  if (items.length < expected) throw new Error(`${items.length} objects were listed in place of ${expected}`)
})
answer<'list'>({ ms })
