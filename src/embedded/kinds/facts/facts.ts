/**
 * What the API of Kubernetes v1.36.3 (Apache-2.0) says about itself: the JSON files beside this one are what
 * tools/kubernetes-facts wrote down from a running kube-apiserver's discovery, OpenAPI and tables. They are never
 * edited by hand; `test/peers/facts-drift.test.ts` compares them with the real one.
 */
import type { Column, Verb } from '../kind.ts'
import columnFacts from './columns.json' with { type: 'json' }
import resourceFile from './resources.json' with { type: 'json' }
import version from './version.json' with { type: 'json' }

export { definitionOf, schemaOf } from './schemas.ts'

/** An entry of a discovery document, with the group and version that it stands in. */
export interface ResourceFacts {
  readonly group: string
  readonly version: string
  /** The plural. */
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  readonly verbs: readonly Verb[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
  readonly subresources: readonly SubresourceFacts[]
}

export interface SubresourceFacts {
  /** Without the resource: `status`. */
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  /** Of the kind, where that is in another group than the resource. */
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly verbs: readonly Verb[]
}

export type ColumnFacts = Omit<Column, 'cell'>

const resources = resourceFile.resources as readonly ResourceFacts[]
const resourceByPath = new Map(resources.map((facts) => [`${facts.group}/${facts.name}`, facts]))

export const resourceFacts = (): readonly ResourceFacts[] => resources

export function factsOf(group: string, plural: string): ResourceFacts {
  const facts = resourceByPath.get(`${group}/${plural}`)
  if (!facts) throw new Error(`there are no facts about ${plural} of the group "${group}"`)
  return facts
}

/** Empty for what is never listed (reviews): the real server makes no tables of it. */
export function columnsOf(group: string, plural: string): readonly ColumnFacts[] {
  const { version } = factsOf(group, plural)
  const apiVersion = group === '' ? version : `${group}/${version}`
  return (columnFacts.columns as Record<string, ColumnFacts[]>)[`${apiVersion}/${plural}`] ?? []
}

/** What `/version` says about the API; how the server was built is for the server to add. */
export const versionInfo: Readonly<typeof version> = version
