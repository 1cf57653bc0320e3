import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.d.ts'
import { configMaps, namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'

const kilobyte = 1_024

/** Not one letter over and over: it should cost what text costs to read. */
const text = (seed: number, length: number): string =>
  Array.from({ length }, (_, at) => ((seed + at * 7) % 36).toString(36)).join('')

export const aConfigMap = (number: number): ConfigMap & { metadata: { name: string } } => ({
  metadata: { name: `config-${number}`, labels: { app: 'bench', shard: String(number % 10) } },
  data: { settings: text(number, kilobyte / 2), policy: text(number + 1, kilobyte / 2) },
})

export const aSecret = (number: number): Secret & { metadata: { name: string } } => ({
  metadata: { name: `secret-${number}`, labels: { app: 'bench' } },
  type: 'Opaque',
  data: { token: Buffer.from(text(number, (kilobyte * 3) / 4)).toString('base64') },
})

/** Runs `work` for 0 to `count` - 1, 40 at a time. */
export async function each(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 40 }, worker))
}

export interface Replay {
  namespace: string
  objects: number
  /** Events since `resourceVersion`: every object was created, then changed once. */
  events: number
  resourceVersion: string
}

/** Objects to list, and the history of their making to watch. */
export async function seedReplay(kube: Kube, objects: number): Promise<Replay> {
  const namespace = await aNamespaceOf(kube, 'replay')
  const config = kube.of(configMaps, namespace)
  const { metadata } = await config.list()
  await each(objects, (number) => config.create(aConfigMap(number)))
  await each(objects, (number) =>
    config.patch(`config-${number}`, { type: 'merge', body: { metadata: { annotations: { changed: 'once' } } } }),
  )
  return { namespace, objects, events: objects * 2, resourceVersion: metadata.resourceVersion }
}

/** Secrets that are only updated: of another kind, so that the history above stays in the API server's memory. */
export async function seedUpdates(kube: Kube, count: number): Promise<{ namespace: string; names: string[] }> {
  const namespace = await aNamespaceOf(kube, 'updates')
  const made = Array.from({ length: count }, (_, number) => aSecret(number))
  await each(count, (number) => kube.of(secrets, namespace).create(made[number]!))
  return { namespace, names: made.map(({ metadata }) => metadata.name) }
}

/** Half of them ConfigMaps, half Secrets: one informer each. */
export async function seedAgent(kube: Kube, objects: number): Promise<{ namespace: string }> {
  const namespace = await aNamespaceOf(kube, 'agent')
  await each(objects / 2, async (number) => {
    await kube.of(configMaps, namespace).create(aConfigMap(number))
    await kube.of(secrets, namespace).create(aSecret(number))
  })
  return { namespace }
}

async function aNamespaceOf(kube: Kube, name: string): Promise<string> {
  const { metadata } = await kube.of(namespaces).create({ metadata: { generateName: `bench-${name}-` } })
  return metadata.name
}
