import { configMaps } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { answer, expect, peakRssBytes, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, pageSize, expected, ...times } = task<'list'>()
const kube = await connectTo(kubeconfig)
const result = await timed(times, async () => {
  const { items } = await kube.of(configMaps, namespace).list(pageSize === undefined ? {} : { pageSize })
  expect('objects listed', items.length, expected)
})
answer<'list'>({ ...result, peakRssBytes: peakRssBytes() })
