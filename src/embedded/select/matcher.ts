import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { badRequest } from '../status.ts'
import type { Entry } from '../storage/store.ts'
import type { FieldSelector, KnownFields } from './field-selector.ts'
import { checkFields, exactField, matchesFields, parseFieldSelector } from './field-selector.ts'
import type { LabelSelector, Labels } from './label-selector.ts'
import { checkLength, matchesLabels, SelectorFailure } from './label-selector.ts'
import { parseLabelSelector } from './parse-label-selector.ts'

export interface Selection {
  readonly labels: LabelSelector
  readonly fields: FieldSelector
}

const nothingAsked: Selection = { labels: [], fields: [] }

/** Both selectors of a request. Throws 400 for what cannot be understood. */
export function selectionOf(
  served: Served,
  { labelSelector = '', fieldSelector = '' }: { labelSelector?: string; fieldSelector?: string },
): Selection {
  if (labelSelector === '' && fieldSelector === '') return nothingAsked
  return understood(() => {
    const fields = parseFieldSelector(fieldSelector)
    checkFields(fields, knownFields(served))
    return { labels: parseLabelSelector(labelSelector), fields }
  })
}

/** The same for a kind that is not known yet: what cannot be read is refused before anything else is looked at. */
export const checkSelectors = (labelSelector: string, fieldSelector: string): void =>
  understood(() => {
    parseLabelSelector(labelSelector)
    parseFieldSelector(fieldSelector)
  })

/** Before anybody is asked whether a request with these selectors is allowed, which begins with reading them. */
export const checkSelectorLengths = (query: URLSearchParams): void =>
  understood(() => {
    for (const name of ['labelSelector', 'fieldSelector']) checkLength(query.get(name) ?? '')
  })

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof SelectorFailure) throw badRequest(error.message)
    throw error
  }
}

function knownFields({ kind, version }: Served): KnownFields {
  const own = Object.keys(version.selectable)
  const areCommon = own.length === 0 && !kind.custom
  const hasNamespace = kind.namespaced || areCommon
  return { names: ['metadata.name', ...(hasNamespace ? ['metadata.namespace'] : []), ...own], areCommon }
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
