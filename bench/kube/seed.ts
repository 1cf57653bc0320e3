import { createHash } from 'node:crypto'
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.d.ts'
import { configMaps, namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'

const kilobyte = 1_024

const words =
  'address agent allow cluster config default deny endpoint group issuer key label limit name policy pull role rotate secret server spec status token true user version'.split(
    ' ',
  )

/** Text as a configuration file has it: words, numbers and line ends, never twice the same. */
function prose(seed: number, length: number): string {
  const digest = bytesFrom(`prose ${seed}`, length / 4)
  const lines = Array.from(digest, (byte, at) => `${words[byte % words.length]}: ${(byte * 257 + at * seed) % 9_973}\n`)
  return lines.join('').slice(0, length)
}

/** Text as a certificate or a token has it: nothing repeats. */
const noise = (seed: number, length: number): string =>
  Buffer.from(bytesFrom(`noise ${seed}`, length))
    .toString('base64')
    .slice(0, length)

function bytesFrom(seed: string, length: number): Uint8Array {
  return createHash('shake256', { outputLength: Math.ceil(length) })
    .update(seed)
    .digest()
}

export const aConfigMap = (number: number): ConfigMap & { metadata: { name: string } } => ({
  metadata: { name: `config-${number}`, labels: { app: 'bench', shard: String(number % 10) } },
  data: { settings: prose(number, kilobyte / 2), 'ca.crt': noise(number, kilobyte / 2) },
})

export const aSecret = (number: number): Secret & { metadata: { name: string } } => ({
  metadata: { name: `secret-${number}`, labels: { app: 'bench' } },
  type: 'Opaque',
  data: { token: Buffer.from(noise(number, (kilobyte * 3) / 4)).toString('base64') },
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
