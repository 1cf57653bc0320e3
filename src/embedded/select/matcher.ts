import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { badRequest } from '../status.ts'
import type { Entry } from '../storage/store.ts'
import type { FieldSelector } from './field-selector.ts'
import { exactField, matchesFields, parseFieldSelector } from './field-selector.ts'
import type { LabelSelector, Labels } from './label-selector.ts'
import { matchesLabels, parseLabelSelector, SelectorFailure } from './label-selector.ts'

export interface Selection {
  readonly labels: LabelSelector
  readonly fields: FieldSelector
}

const nothingAsked: Selection = { labels: [], fields: [] }

/** Both selectors of a request. Throws 400 for what cannot be understood. */
export function selectionOf(
  { version }: Served,
  { labelSelector = '', fieldSelector = '' }: { labelSelector?: string; fieldSelector?: string },
): Selection {
  if (labelSelector === '' && fieldSelector === '') return nothingAsked
  const known = ['metadata.name', 'metadata.namespace', ...Object.keys(version.selectable)]
  try {
    return { labels: parseLabelSelector(labelSelector), fields: parseFieldSelector(fieldSelector, known) }
  } catch (error) {
    if (error instanceof SelectorFailure) throw badRequest(error.message)
    throw error
  }
}

export const selectsAll = ({ labels, fields }: Selection): boolean => labels.length === 0 && fields.length === 0

/** The one name that can match, if there is only one. */
export const onlyName = ({ fields }: Selection): string | undefined => exactField(fields, 'metadata.name')

const labelsKept = new WeakMap<Entry, Labels>()
const noLabels: Labels = {}

/** Only the labels are kept in memory: whole objects would be all objects twice. */
function labelsOf(entry: Entry): Labels {
  let labels = labelsKept.get(entry)
  if (labels === undefined) {
    labels = (JSON.parse(entry.text) as ApiObject).metadata.labels ?? noLabels
    labelsKept.set(entry, labels)
  }
  return labels
}

/** Whether an entry is selected. Fields of a kind are read from the object as it is stored. */
export function matches({ labels, fields }: Selection, entry: Entry, { version }: Served): boolean {
  if (labels.length > 0 && !matchesLabels(labels, labelsOf(entry))) return false
  if (fields.length === 0) return true
  let object: ApiObject | undefined
  return matchesFields(fields, (field) => {
    if (field === 'metadata.name') return entry.name
    if (field === 'metadata.namespace') return entry.namespace
    object ??= JSON.parse(entry.text) as ApiObject
    return version.selectable[field]?.(object) ?? ''
  })
}
