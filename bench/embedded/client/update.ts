import { configMaps } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { answer, task } from '../tasks.ts'
import { served } from './served.ts'
import { warmUp } from './warm-up.ts'

const { kubeconfig, servingPids, namespace, count, writers } = task<'update'>()
const kube = await connectTo(kubeconfig)
const config = kube.of(configMaps, namespace)

/** Each writer has an object of its own: what is measured is not how conflicts are told. */
async function updateOften(writer: number, times: number): Promise<void> {
  let object = await config.get(`config-${writer}`)
  for (let time = 0; time < times; time++) {
    const annotations = { changed: `${object.metadata.resourceVersion}` }
    object = await config.update({ ...object, metadata: { ...object.metadata, annotations } })
  }
}

const updateAll = async (times: number) => {
  await Promise.all(Array.from({ length: writers }, (_, writer) => updateOften(writer, times)))
}

await warmUp(kube)
await updateAll(1)
answer<'update'>(await served(servingPids, () => updateAll(Math.round(count / writers))))
