import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { answer, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, names, warmups, times } = task<'update'>()
const config = new KubeConfig()
config.loadFromFile(kubeconfig)
const core = config.makeApiClient(CoreV1Api)

async function updateOften(name: string, times: number): Promise<void> {
  let object = await core.readNamespacedSecret({ name, namespace })
  for (let round = 0; round < times; round++) {
    const annotations = { round: `${object.metadata?.resourceVersion}` }
    const body = { ...object, metadata: { ...object.metadata, annotations } }
    object = await core.replaceNamespacedSecret({ name, namespace, body })
  }
}

const updateAll = async (times: number) => void (await Promise.all(names.map((name) => updateOften(name, times))))

await updateAll(warmups)
answer<'update'>(await timed({ warmups: 0, times: 1 }, () => updateAll(times)))
