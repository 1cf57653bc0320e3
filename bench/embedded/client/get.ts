import { configMaps } from '../../../src/kube/kinds.ts'
import { connectTo } from '../../shared/connect.ts'
import { inParallel } from '../../shared/timing.ts'
import { answer, task } from '../tasks.ts'
import { served } from './served.ts'
import { warmUp } from './warm-up.ts'

const { kubeconfig, servingPids, namespace, objects, count, readers } = task<'get'>()
const kube = await connectTo(kubeconfig)
const config = kube.of(configMaps, namespace)
await warmUp(kube)

answer<'get'>(
  await served(servingPids, () => inParallel(count, readers, (number) => config.get(`config-${number % objects}`))),
)
