import { isObject } from '../../core/schema/schema.ts'
import { checkLabels } from '../kinds/label-selector.ts'
import { checkAnnotations } from '../kinds/metadata.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'

export interface Wanted {
  readonly apiVersion: string
  readonly index: number
  /** Which webhook, as messages name it. */
  readonly named: string
}

/**
 * What a webhook made of an object, if it is that object still: it may change labels and annotations, and nothing else
 * of metadata. What it says of other metadata is put back, what tells the object from others is refused.
 */
export function checkConverted(before: ApiObject, after: unknown, { apiVersion, index, named }: Wanted): ApiObject {
  const wrong = (why: string) => new ApiFailure(500, '', `${named} returned invalid ${why}`)
  if (!isObject(after)) throw wrong(`object at index ${index}: it is no object`)
  if (after['apiVersion'] !== apiVersion)
    throw wrong(
      `object at index ${index}: invalid groupVersion (expected ${apiVersion}, received ${after['apiVersion'] ?? ''})`,
    )
  if (after['kind'] !== before.kind)
    throw wrong(`object at index ${index}: invalid kind (expected ${before.kind}, received ${after['kind'] ?? ''})`)
  const metadata = isObject(after['metadata']) ? after['metadata'] : {}
  for (const [field, title] of identity) {
    const [old = '', now = ''] = [before.metadata[field], metadata[field]]
    if (old !== now) throw wrong(`object: must have the same ${title}: ${old} != ${now}`)
  }
  const { labels, annotations } = metadata
  checkTexts(labels, 'labels', wrong)
  checkTexts(annotations, 'annotations', wrong)
  const flaws = [
    ...checkLabels((labels ?? {}) as Record<string, string>, 'metadata.labels'),
    ...checkAnnotations((annotations ?? {}) as Record<string, string>, 'metadata.annotations'),
  ]
  const [flaw] = flaws
  if (flaw) throw wrong(`metadata: ${flaw.field}: ${flaw.message}`)
  const { labels: _labels, annotations: _annotations, ...kept } = before.metadata
  return {
    ...after,
    metadata: { ...kept, ...(isFilled(labels) && { labels }), ...(isFilled(annotations) && { annotations }) },
  } as ApiObject
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const

const isFilled = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0

function checkTexts(value: unknown, what: string, wrong: (why: string) => Error): void {
  if (value === undefined || value === null) return
  if (!isObject(value) || Object.values(value).some((text) => typeof text !== 'string'))
    throw wrong(`metadata of converted object: .metadata.${what} accessor error: it is no map of strings`)
}
