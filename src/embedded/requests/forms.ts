import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import type { Form } from './negotiate.ts'

/** Objects and lists as text, in the form a client asked for. */

export interface ListMeta {
  resourceVersion: string
  continue?: string
  remainingItemCount?: number
}

const partialPrefix = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":'

const partialText = ({ metadata }: ApiObject): string => `${partialPrefix}${JSON.stringify(metadata)}}`

/** One object. */
export function objectText(text: string, served: Served, form: Form, now: Date): string {
  if (form.as === 'object') return text
  const object = JSON.parse(text) as ApiObject
  if (form.as === 'PartialObjectMetadata') return partialText(object)
  return tableText([object], served, form, { resourceVersion: object.metadata.resourceVersion ?? '' }, now)
}

/** A list of objects that are text already. */
export function listText(texts: readonly string[], served: Served, form: Form, meta: ListMeta, now: Date): string {
  const { kind, apiVersion } = served
  if (form.as === 'object') {
    const items = kind.custom ? texts : texts.map((text) => withoutType(text, served))
    return `{"kind":${JSON.stringify(kind.listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(meta)},"items":[${items.join(',')}]}`
  }
  const objects = texts.map((text) => JSON.parse(text) as ApiObject)
  if (form.as === 'Table') return tableText(objects, served, form, meta, now)
  return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(meta)},"items":[${objects.map(partialText).join(',')}]}`
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
  const rows = objects.map((object) => {
    const cells = JSON.stringify(version.columns.map((column) => column.cell(object, now)))
    return `{"cells":${cells},"object":${rowObject(object, form)}}`
  })
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(meta)},"columnDefinitions":${JSON.stringify(columns)},"rows":[${rows.join(',')}]}`
}

function rowObject(object: ApiObject, { includeObject }: Form): string {
  if (includeObject === 'None') return 'null'
  return includeObject === 'Object' ? JSON.stringify(object) : partialText(object)
}

/** One row of a watch; only the first carries the columns. */
export const rowText = (text: string, served: Served, form: Form, now: Date, isFirst: boolean): string => {
  const object = JSON.parse(text) as ApiObject
  const meta = { resourceVersion: object.metadata.resourceVersion ?? '' }
  return tableText([object], served, form, meta, now, isFirst)
}

export { partialText }
