import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { answer, expect, peakRssBytes, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, pageSize, expected, ...times } = task<'list'>()
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const core = config.makeApiClient(CoreV1Api)

async function listInPages(limit: number): Promise<unknown[]> {
  const items: unknown[] = []
  let next: string | undefined
  do {
    const page = await core.listNamespacedConfigMap({ namespace, limit, _continue: next })
    items.push(...page.items)
    next = page.metadata?._continue
  } while (next)
  return items
}

const result = await timed(times, async () => {
  const items = pageSize ? await listInPages(pageSize) : (await core.listNamespacedConfigMap({ namespace })).items
  expect('objects listed', items.length, expected)
})
answer<'list'>({ ...result, peakRssBytes: peakRssBytes() })
