import { secrets } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { answer, task, timed } from '../tasks.ts'

const { kubeconfig, namespace, names, warmups, times } = task<'update'>()
const kube = await connectTo(kubeconfig)
const objects = kube.of(secrets, namespace)

async function updateOften(name: string, times: number): Promise<void> {
  let object = await objects.get(name)
  for (let round = 0; round < times; round++) {
    object = await objects.update({
      ...object,
      metadata: { ...object.metadata, annotations: { round: `${object.metadata.resourceVersion}` } },
    })
  }
}

const updateAll = async (times: number) => void (await Promise.all(names.map((name) => updateOften(name, times))))

await updateAll(warmups)
answer<'update'>(await timed({ warmups: 0, times: 1 }, () => updateAll(times)))
