/** Clusters that are worked on at random, and what is known of each: whether it must have a working document now. */
import type { Call } from './pull-secret-calls.ts'

export interface SoakCluster {
  id: string
  /** Half of them are never suspended nor deleted: of those every document ever seen is compared. */
  isSteady: boolean
  /** Has a document, as far as answers tell, and nobody takes it away just now. */
  isServed: boolean
  /** Counts what takes the document away. */
  epoch: number
  isBeingEnded: boolean
}

export const aFleet = (size: number): SoakCluster[] =>
  Array.from({ length: size }, (_, number) => ({
    id: `soak-${number}`,
    isSteady: number % 2 === 0,
    isServed: false,
    epoch: 0,
    isBeingEnded: false,
  }))

type Operation = (call: Call, cluster: SoakCluster) => Promise<string>

const path = ({ id }: SoakCluster, rest = '') => `/clusters/${id}/pull-secrets${rest}`

/** What gives a document: it is there from then on, unless somebody took it away meanwhile. */
async function giving(cluster: SoakCluster, give: () => Promise<number>): Promise<number> {
  const { epoch } = cluster
  const status = await give()
  if (status < 300 && !cluster.isBeingEnded && cluster.epoch === epoch) cluster.isServed = true
  return status
}

async function ending(cluster: SoakCluster, end: () => Promise<number>): Promise<number> {
  if (cluster.isBeingEnded) return 0
  cluster.isBeingEnded = true
  cluster.isServed = false
  cluster.epoch += 1
  try {
    return await end()
  } finally {
    cluster.epoch += 1
    cluster.isBeingEnded = false
  }
}

const generate: Operation = async (call, cluster) => {
  const body = { cloud_provider: 'gcp', region: 'us-east1' }
  return `generate ${await giving(cluster, async () => (await call('POST', path(cluster), body)).status)}`
}

const rotate =
  (more: object): Operation =>
  async (call, cluster) =>
    `rotate ${(await call('POST', path(cluster, '/rotations'), { reason: 'manual', ...more })).status}`

const confirm: Operation = async (call, cluster) => {
  const { body } = await call('GET', path(cluster, '/rotations'))
  const [latest] = (body['items'] ?? []) as { id: string }[]
  if (!latest) return 'confirm without a rotation'
  return `confirm ${(await call('POST', path(cluster, `/rotations/${latest.id}/confirm`))).status}`
}

const suspend: Operation = async (call, cluster) =>
  `suspend ${await ending(cluster, async () => (await call('POST', path(cluster, '/suspend'), { reason: 'soak' })).status)}`

const resume: Operation = async (call, cluster) =>
  `resume ${await giving(cluster, async () => (await call('POST', path(cluster, '/resume'), { reason: 'soak' })).status)}`

const remove: Operation = async (call, cluster) =>
  `delete ${await ending(cluster, async () => (await call('DELETE', path(cluster))).status)}`

const read: Operation = async (call, cluster) => `get ${(await call('GET', path(cluster))).status}`

const steady: readonly [share: number, operation: Operation][] = [
  [35, generate],
  [25, read],
  [18, rotate({})],
  [4, rotate({ force_immediate: true })],
  [18, confirm],
]
const unsteady: typeof steady = [...steady, [8, suspend], [12, resume], [8, remove]]

function pick(operations: typeof steady): Operation {
  const total = operations.reduce((sum, [share]) => sum + share, 0)
  let at = Math.random() * total
  for (const [share, operation] of operations) {
    at -= share
    if (at < 0) return operation
  }
  return generate
}

/** One operation at random; what it was and what it was answered. */
export const workOn = (call: Call, cluster: SoakCluster): Promise<string> =>
  pick(cluster.isSteady ? steady : unsteady)(call, cluster)
