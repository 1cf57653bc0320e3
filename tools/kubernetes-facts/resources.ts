import type { Kube } from '../../src/kube/kube.ts'
import { groupPath, served } from './served.ts'

interface ApiResource {
  name: string
  singularName: string
  namespaced: boolean
  group?: string
  version?: string
  kind: string
  verbs: string[]
  shortNames?: string[]
  categories?: string[]
  storageVersionHash?: string
}

interface Column {
  name: string
  type: string
  format: string
  description: string
  priority: number
}

/** What discovery tells, each resource with its subresources by their own names; and the columns of `kubectl get` by `apiVersion/plural`. */
export async function resources(kube: Kube) {
  const found: ({ group: string; version: string } & ApiResource & { subresources: ApiResource[] })[] = []
  const columns: Record<string, Column[]> = {}
  for (const [apiVersion, names] of Object.entries(served)) {
    const { resources: all } = await kube.request<{ resources: ApiResource[] }>({ path: groupPath(apiVersion) })
    const get = (name: string) => {
      const resource = all.find((resource) => resource.name === name)
      if (!resource) throw new Error(`${apiVersion} has no ${name}`)
      return resource
    }
    const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion]
    for (const name of names.filter((name) => !name.includes('/'))) {
      const subresources = names
        .filter((other) => other.startsWith(`${name}/`))
        .map((other) => ({ ...get(other), name: other.slice(name.length + 1) }))
      found.push({ group, version, ...get(name), subresources })
      if (get(name).verbs.includes('list')) columns[`${apiVersion}/${name}`] = await columnsOf(kube, apiVersion, name)
    }
  }
  return { resources: found, columns }
}

async function columnsOf(kube: Kube, apiVersion: string, plural: string): Promise<Column[]> {
  const { columnDefinitions } = await kube.request<{ columnDefinitions: Column[] }>({
    path: `${groupPath(apiVersion)}/${plural}`,
    query: { limit: 1 },
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  })
  return columnDefinitions
}

export const kindsOf = (found: readonly { group: string; version: string; kind: string }[]): Set<string> =>
  new Set(found.map(({ group, version, kind }) => `${group === '' ? version : `${group}/${version}`}/${kind}`))
