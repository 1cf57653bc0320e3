import { setTimeout as delay } from 'node:timers/promises'
import { definitions } from './kinds/custom.ts'
import { divergedDefinition } from './kinds/diverged.ts'
import { ruledDefinition } from './kinds/ruled.ts'
import type { Plane } from './plane.ts'
import type { Pair } from './run.ts'
import { namespaces } from './universe.ts'

/** What has to be there before the first request. */
export async function prepare({ embedded, real }: Pair<Plane>): Promise<void> {
  for (const name of namespaces)
    for (const plane of [embedded, real]) {
      await put(plane, '/api/v1/namespaces', { metadata: { name } })
      await put(plane, `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } })
    }
  for (const plane of [embedded, real])
    for (const definition of [...definitions, ruledDefinition, divergedDefinition]) await define(plane, definition)
}

type Definition = Pick<(typeof definitions)[number], 'metadata'> & {
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly object[]
  }
}

const patienceMs = 20_000

/** Until the new kind is served. */
async function define(plane: Plane, definition: Definition): Promise<void> {
  const { group, names, versions } = definition.spec
  await put(plane, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  const { name: version } = versions.at(-1) as { name: string }
  const until = performance.now() + patienceMs
  const list = { id: 0, about: '', method: 'GET', path: `/apis/${group}/${version}/${names.plural}` }
  while ((await plane.send(list)).code !== 200) {
    if (performance.now() > until) throw new Error(`${definition.metadata.name} is not served`)
    await delay(50)
  }
  // Its conditions came by and by: from here on its version is known.
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`
  await plane.send({ id: 0, about: path, method: 'GET', path })
}

async function put(plane: Plane, path: string, body: unknown): Promise<void> {
  const { code, body: answer } = await plane.send({ id: 0, about: path, method: 'POST', path, body })
  if (code !== 201) throw new Error(`${path}: ${code} ${JSON.stringify(answer)}`)
}
