import { isDeepStrictEqual } from 'node:util'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject, ObjectMeta } from '../objects.ts'
import { fresh } from '../storage/reading.ts'
import type { Entry } from '../storage/store.ts'

/**
 * An entry as one version of the API shows it. What is stored is shown as it is wherever it can be: no parsing, no
 * copy. Where a version differs or a schema moved on, the result is kept for as long as the entry and that `Served` live.
 */
const kept = new WeakMap<Entry, WeakMap<Served, string>>()

const isStoredForm = (entry: Entry, { kind, apiVersion }: Served): boolean =>
  !kind.renew &&
  entry.text.startsWith(`{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(apiVersion)},`)

/** The object as JSON, in this version. */
export function textOf(entry: Entry, served: Served): string | Promise<string> {
  if (isStoredForm(entry, served)) return entry.text
  const known = kept.get(entry)?.get(served)
  if (known !== undefined) return known
  const object = shownAs(fresh(entry), served)
  return object instanceof Promise ? object.then((shown) => keep(entry, served, shown)) : keep(entry, served, object)
}

/** The same as an object that the caller may change. */
export function objectOf(entry: Entry, served: Served): ApiObject | Promise<ApiObject> {
  const text = textOf(entry, served)
  return typeof text === 'string' ? JSON.parse(text) : text.then((shown) => JSON.parse(shown) as ApiObject)
}

function keep(entry: Entry, served: Served, object: ApiObject): string {
  const text = JSON.stringify(inOrder(object))
  let ofEntry = kept.get(entry)
  if (!ofEntry) {
    ofEntry = new WeakMap()
    kept.set(entry, ofEntry)
  }
  ofEntry.set(served, text)
  return text
}

/** A stored object in another version, or under a newer schema. */
function shownAs(object: ApiObject, served: Served): ApiObject | Promise<ApiObject> {
  const { kind, version, apiVersion } = served
  const renewed = (shown: ApiObject) => kind.renew?.(shown, version) ?? shown
  if (object.apiVersion === apiVersion && object.kind === kind.kind) return renewed(object)
  if (!kind.convert) return renewed({ ...object, apiVersion, kind: kind.kind })
  return kind.convert([object], apiVersion).then(([shown]) => renewed(shown as ApiObject))
}

/** Several at once, so that a conversion webhook is asked once. */
export async function textsOf(entries: readonly Entry[], served: Served): Promise<string[]> {
  const { kind, version, apiVersion } = served
  const { convert } = kind
  if (convert) {
    const waiting = entries.filter((entry) => !isStoredForm(entry, served) && !kept.get(entry)?.has(served))
    const foreign = waiting
      .map((entry) => ({ entry, object: fresh(entry) }))
      .filter(({ object }) => object.apiVersion !== apiVersion)
    if (foreign.length > 0) {
      const shown = await convert.call(
        kind,
        foreign.map(({ object }) => object),
        apiVersion,
      )
      shown.forEach((object, index) => {
        const { entry } = foreign[index] as { entry: Entry }
        keep(entry, served, kind.renew?.(object, version) ?? object)
      })
    }
  }
  return Promise.all(entries.map((entry) => textOf(entry, served)))
}

/** What would be read back: a dry run shows that too. */
export async function asReadBack(object: ApiObject, served: Served): Promise<ApiObject> {
  return served.kind.custom ? shownAs(structuredClone(await toStored(object, served)), served) : object
}

/** Whether a write that changes nothing would store the same: not where a schema moved on, or has no place for all. */
export async function isStoredAsNow(entry: Entry, served: Served): Promise<boolean> {
  if (!served.kind.custom) return true
  return isDeepStrictEqual(fresh(entry), await toStored(await objectOf(entry, served), served))
}

/** The form in which an object is stored. */
export async function toStored(object: ApiObject, { kind }: Served): Promise<ApiObject> {
  const { apiVersion } = kind.storedAs
  if (object.apiVersion === apiVersion && object.kind === kind.storedAs.kind) return inOrder(object)
  const [converted] = kind.convert ? await kind.convert([object], apiVersion) : [{ ...object, ...kind.storedAs }]
  return inOrder(converted as ApiObject)
}

const metadataOrder: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]

/** Fields in the order in which Kubernetes writes them. `isStoredForm` relies on the first two. */
export function inOrder({ kind, apiVersion, metadata, ...rest }: ApiObject): ApiObject {
  const ordered: Record<string, unknown> = {}
  for (const name of metadataOrder) if (metadata[name] !== undefined) ordered[name] = metadata[name]
  return { kind, apiVersion, metadata: ordered as ObjectMeta, ...rest }
}
