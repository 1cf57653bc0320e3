import type { ApiObject } from '../objects.ts'
import { apiVersionOf, resourceName } from '../objects.ts'
import { ageText } from './age.ts'
import { decodeTyped } from './decode/decode-typed.ts'
import type { ColumnFacts } from './facts/facts.ts'
import { columnsOf, factsOf, schemaOf } from './facts/facts.ts'
import type { Column, Kind, KindVersion, Rules, Subresource } from './kind.ts'

export type Cell = Column['cell']
export type Cells = Readonly<Record<string, Cell>>
export type Selectable = KindVersion['selectable']

/** What is to be said about a built-in kind besides the facts that the real server tells about it. */
export interface Definition {
  rules?: Rules
  subresources?: Readonly<Record<string, Subresource>>
  /** By the name of the column. `Name`, `Age` and `Created At` need not be said. */
  cells?: Cells
  rowConditions?: NonNullable<KindVersion['rowConditions']>
  selectable?: Selectable
  deprecation?: string
  storage?: string
  storedAs?: Kind['storedAs']
  convert?: NonNullable<Kind['convert']>
  answer?: NonNullable<Kind['answer']>
}

/** A kind of which one version is served. Throws when a column has no cell: then the facts have changed. */
export function builtIn(group: string, plural: string, definition: Definition = {}): Kind {
  const { rules = {}, subresources = {}, cells = {}, selectable = {}, deprecation, storage, storedAs } = definition
  const facts = factsOf(group, plural)
  const apiVersion = apiVersionOf(group, facts.version)
  const { kind } = facts
  const version: KindVersion = {
    name: facts.version,
    schema: schemaOf(apiVersion, kind),
    columns: columnsOf(group, plural).map((column) => ({ ...column, cell: cellOf(column, cells, plural) })),
    selectable,
    ...(definition.rowConditions && { rowConditions: definition.rowConditions }),
    ...(deprecation !== undefined && { deprecation }),
  }
  return {
    group,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: facts.singularName,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    namespaced: facts.namespaced,
    verbs: facts.verbs,
    versions: [version],
    storage: storage ?? resourceName(group, plural),
    storedAs: storedAs ?? { apiVersion, kind },
    rules,
    subresources,
    decode: (sent, { schema }) => decodeTyped(schema, sent, kind),
    ...(definition.convert && { convert: definition.convert }),
    ...(definition.answer && { answer: definition.answer }),
    custom: false,
  }
}

function cellOf({ name }: ColumnFacts, cells: Cells, plural: string): Cell {
  const cell = cells[name] ?? commonCells[name]
  if (!cell) throw new Error(`the column ${name} of ${plural} has no cell`)
  return cell
}

/** Of the object of a bookmark, as Go writes a time that is none. */
const noTime = '0001-01-01T00:00:00Z'

const commonCells: Cells = {
  Name: ({ metadata }) => metadata.name ?? '',
  Age: ({ metadata }, now) => ageText(metadata.creationTimestamp, now),
  'Created At': ({ metadata }) => metadata.creationTimestamp ?? noTime,
}

/** An object whose fields are known, because it was decoded by its schema. */
export const as = <T>(object: ApiObject): ApiObject & T => object as ApiObject & T
