import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure, notAcceptable } from '../status.ts'
import type { Form } from './negotiate.ts'

/** Objects and lists as text, in the form a client asked for. */

export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

type Version = Pick<Form, 'metaVersion'>

const partialPrefix = ({ metaVersion }: Version): string =>
  `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":`

const partialText = ({ metadata }: ApiObject, form: Version): string =>
  `${partialPrefix(form)}${JSON.stringify(metadata)}}`

/** As the real server calls the type of an object in its own code, which it shows to those who mix up one and many. */
function goType({ kind }: Served, isList: boolean): string {
  if (kind.custom) return isList ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured'
  const [group = ''] = kind.group.split('.')
  const folder = group === '' || group === 'events' ? 'core' : group
  return `*${folder}.${isList ? kind.listKind : kind.kind}`
}

export const isNoList = (goType: string): ApiFailure =>
  notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${goType})`)

/** One object. */
export function objectText(text: string, served: Served, form: Form, now: Date): string {
  if (form.as === 'object') return text
  if (form.as === 'PartialObjectMetadataList' && served.kind.custom)
    throw new ApiFailure(500, '', 'content is not a list')
  if (form.as === 'PartialObjectMetadataList') throw isNoList(goType(served, false))
  const object = JSON.parse(text) as ApiObject
  if (form.as === 'PartialObjectMetadata') return partialText(object, form)
  // What was only tried has no version.
  const { resourceVersion } = object.metadata
  return tableText([object], served, form, resourceVersion ? { resourceVersion } : {}, now)
}

/** A list of objects that are text already. */
export function listText(texts: readonly string[], served: Served, form: Form, meta: ListMeta, now: Date): string {
  const { kind, apiVersion } = served
  if (form.as === 'object') {
    const items = kind.custom ? texts : texts.map((text) => withoutType(text, served))
    return `{"kind":${JSON.stringify(kind.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(meta)},"items":[${items.join(',')}]}`
  }
  if (form.as === 'PartialObjectMetadata')
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${goType(served, true)})`,
    )
  const objects = texts.map((text) => JSON.parse(text) as ApiObject)
  if (form.as === 'Table') return tableText(objects, served, form, meta, now)
  const items = objects.map((object) => partialText(object, form)).join(',')
  // A list that has not begun is null in Go.
  const shown = items === '' ? 'null' : `[${items}]`
  return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${form.metaVersion}","metadata":${JSON.stringify(meta)},"items":${shown}}`
}

/** Items of a list of a built-in kind say nothing of their type: the list does. */
function withoutType(text: string, { kind, apiVersion }: Served): string {
  const prefix = `{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  return text.startsWith(prefix) ? `{${text.slice(prefix.length)}` : text
}

function tableText(
  objects: readonly ApiObject[],
  { version }: Served,
  form: Form,
  meta: ListMeta,
  now: Date,
  withColumns = true,
): string {
  const columns = withColumns
    ? version.columns.map(({ name, type, format, description, priority }) => ({
        name,
        type,
        format,
        description,
        priority,
      }))
    : null
  // Kinds without columns of their own are put into a table by other code, to which no row is no list.
  const isPlain = version.columns.some(({ name }) => name === 'Created At')
  const rows = objects.map((object) => {
    const cells = JSON.stringify(version.columns.map((column) => column.cell(object, now)))
    const conditions = version.rowConditions?.(object) ?? []
    const told = conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`
    return `{"cells":${cells}${told},"object":${rowObject(object, form)}}`
  })
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${form.metaVersion}","metadata":${JSON.stringify(meta)},"columnDefinitions":${JSON.stringify(columns)},"rows":${rows.length === 0 && isPlain ? 'null' : `[${rows.join(',')}]`}}`
}

function rowObject(object: ApiObject, form: Form): string {
  if (form.includeObject === 'None') return 'null'
  return form.includeObject === 'Object' ? JSON.stringify(object) : partialText(object, form)
}

/** One row of a watch; only the first carries the columns. */
export const rowText = (text: string, served: Served, form: Form, now: Date, isFirst: boolean): string => {
  const object = JSON.parse(text) as ApiObject
  const meta = { resourceVersion: object.metadata.resourceVersion ?? '' }
  return tableText([object], served, form, meta, now, isFirst)
}

export { partialText }
