import { configMaps, namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { aConfigMap, aSecret } from '../shared/objects.ts'
import { inParallel } from '../shared/timing.ts'

/** Runs `work` for 0 to `count` - 1, 40 at a time. */
const each = (count: number, work: (number: number) => Promise<unknown>) => inParallel(count, 40, work)

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

/** As large as the others and nearly all the same, so that gzip makes next to nothing of them. */
export async function seedRepetitive(kube: Kube, objects: number): Promise<string> {
  const namespace = await aNamespaceOf(kube, 'repetitive')
  const { data } = aConfigMap(0)
  await each(objects, (number) => kube.of(configMaps, namespace).create({ ...aConfigMap(number), data: data ?? {} }))
  return namespace
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
