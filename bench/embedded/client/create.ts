import { configMaps, namespaces } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { aConfigMap } from '../../shared/objects.ts'
import { inParallel } from '../../shared/timing.ts'
import { answer, task } from '../tasks.ts'
import { served } from './served.ts'
import { warmUp } from './warm-up.ts'

const { kubeconfig, servingPids, namespace, count, writers } = task<'create'>()
const kube = await connectTo(kubeconfig)
if (!(await kube.of(namespaces).find(namespace))) await kube.of(namespaces).create({ metadata: { name: namespace } })
const objects = Array.from({ length: count }, (_, number) => aConfigMap(number))
await warmUp(kube)

const config = kube.of(configMaps, namespace)
answer<'create'>(
  await served(servingPids, () => inParallel(count, writers, (number) => config.create(objects[number]!))),
)
