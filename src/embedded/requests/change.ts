import { isDeepStrictEqual } from 'node:util'
import type { FieldError } from '../../core/schema/field-errors.ts'
import type { Admitted } from '../admission/admission.ts'
import { othersFirst } from '../in-slices.ts'
import type { Found, Part, UpdateCheck, View } from '../kinds/kind.ts'
import { checkMetadataUpdate, checkStandardFinalizers, clientFieldErrors, updateErrors } from '../kinds/metadata.ts'
import { subresourcesOf } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { isUnchanged } from '../patch/unchanged.ts'
import { ApiFailure, conflict, invalid, notFound } from '../status.ts'
import type { Entry, Store } from '../storage/store.ts'
import { StaleWrite } from '../storage/store.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf, contextOf, storedKind } from './call.ts'
import { settleNamespace } from './decode.ts'
import { track } from './managing.ts'
import type { WriteParameters } from './parameters.ts'
import { dropRepeatedOwners } from './repeated-owners.ts'
import { asReadBack, isStoredAsNow, objectOf, toStored } from './representation.ts'

/** What a request makes of the current state. */
export interface Proposal {
  /** In the version of the request; of a subresource that is a part, what was submitted for it. */
  readonly object: ApiObject
  /** Server-side apply has set the managed fields already. */
  readonly isApplied: boolean
}

export interface ChangeOptions {
  readonly parameters: WriteParameters
  /** UpdateOptions or PatchOptions, as admission webhooks see them. */
  readonly options: Readonly<Record<string, unknown>>
  /** A PUT names its object by the uid too; a patch has read what it changes. */
  readonly isPut: boolean
  /** Where the object is written as another kind: admission sees that one. */
  readonly view?: View
  /** May be asked several times, each time with a newer state. The object may be changed. */
  propose(current: ApiObject): Promise<Proposal>
}

/** As often as others are faster, and a client that names no version does not mind. Of a patch, as the real server. */
const tries = ({ isPut }: ChangeOptions): number => (isPut ? 20 : 6)

/** Moves an object to the state that is proposed, in one step of the store. Resolves to that state. */
export async function changeObject(deps: WriteDeps, call: Call, change: ChangeOptions): Promise<ApiObject> {
  const { storage } = call.served.kind
  for (let attempt = 1; ; attempt++) {
    using turn = await turnAt(deps.store, `${storage}/${call.namespace}/${call.name}`)
    const entry = deps.store.get(storage, call.namespace, call.name)
    if (!entry) throw notFound(aboutOf(call), call.name)
    try {
      return await changeOnce(deps, call, change, entry, turn)
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
      if (attempt === tries(change)) throw conflict(aboutOf(call), call.name)
    }
  }
}

async function changeOnce(
  deps: WriteDeps,
  call: Call,
  change: ChangeOptions,
  entry: Entry,
  turn: Disposable,
): Promise<ApiObject> {
  const { served, subresource } = call
  const { rules } = served.kind
  const { parameters, view } = change
  const context = contextOf(call, deps.clock, parameters.dryRun)
  const old = await objectOf(entry, served)
  const proposal = await change.propose(await objectOf(entry, served))
  checkPreconditions(call, change, proposal.object, old)
  rules.defaults?.(proposal.object, proposal.isApplied)
  const part = partOf(call)
  const merged = part ? part.merge(proposal.object, old, context) : proposal.object
  if (!proposal.isApplied) track(call, { old, next: merged, sent: proposal.object, parameters, now: context.now })
  const write: Admitted = {
    operation: 'UPDATE',
    served,
    subresource,
    namespace: call.namespace,
    name: call.name,
    object: view ? view.show(merged) : merged,
    old: view ? view.show(old) : old,
    user: call.user,
    dryRun: parameters.dryRun,
    options: change.options,
    warn: call.warn,
  }
  // A webhook may take its time, and may change this very object before it answers.
  if (deps.admission.asksWebhooks?.(write)) turn[Symbol.dispose]()
  const admitted = (await deps.admission.mutate(write)) ?? write.object ?? merged
  const next = !view ? admitted : admitted === write.object ? merged : view.merge(admitted, merged)
  dropRepeatedOwners(next, call.warn, 'admitted')
  settleNamespace(next, call)
  keepServersOwn(next, old)
  if (!part) {
    const unsettled = rules.settle?.(next, old) ?? []
    if (unsettled.length > 0) throw invalid(storedKind(call), call.name, unsettled)
    rules.prepareUpdate?.(next, old, context)
    moveGeneration(call, next, old)
  }
  const errors = [...checkMetadataUpdate(next.metadata, old.metadata), ...(await problems(call, next, old))]
  if (errors.length > 0) throw invalid(storedKind(call), call.name, errors)
  // Of built-in kinds, only who writes the whole object is warned.
  if (!part || served.kind.custom) for (const warning of rules.warnings?.(next, old) ?? []) call.warn(warning)
  await deps.admission.validate({ ...write, object: view ? view.show(next) : next })
  // What nothing keeps any longer goes with the next write, even with one that changes nothing.
  if (isUnchanged(old, next) && !isOver(call, next) && (await isStoredAsNow(entry, served))) return old
  if (parameters.dryRun) return asReadBack(next, served)
  return store(deps, call, next, entry)
}

/** Whether a write makes what is not there, where it may. */
export const createsMissing = (call: Call): boolean => call.subresource === '' || partOf(call)?.createsMissing === true

const partOf = ({ served, subresource }: Call): Part | undefined => {
  const found = subresource === '' ? undefined : subresourcesOf(served)[subresource]
  return found?.type === 'part' ? found : undefined
}

const usualChecks: readonly UpdateCheck[] = ['update', 'check', 'checkUpdate']

async function problems(call: Call, next: ApiObject, old: ApiObject): Promise<FieldError[]> {
  const part = partOf(call)
  const { rules } = call.served.kind
  const sequence = part ? usualChecks : (rules.updateChecks ?? usualChecks)
  const checks: Record<UpdateCheck, () => Found> = {
    whole: () => clientFieldErrors(next.metadata),
    update: () => [
      ...updateErrors(next.metadata, old.metadata),
      ...(sequence.includes('whole') ? checkStandardFinalizers(next.metadata.finalizers) : []),
    ],
    check: () => (part?.check ? part.check(next, old, call.warn) : (rules.check?.(next) ?? [])),
    checkUpdate: () => (part ? [] : (rules.checkUpdate?.(next, old, call.warn) ?? [])),
  }
  const errors: FieldError[] = []
  for (const check of sequence) errors.push(...(await checks[check]()))
  return errors
}

function checkPreconditions(
  call: Call,
  { isPut, parameters, view }: ChangeOptions,
  { metadata }: ApiObject,
  old: ApiObject,
): void {
  const { resourceVersion = '', uid } = metadata
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion))
    throw new ApiFailure(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`)
  const isNamed = resourceVersion !== '' && resourceVersion !== '0'
  if (uid && uid !== old.metadata.uid && isPut) throw uidConflict(call, uid, old, parameters.dryRun)
  if (!isNamed && !view && call.served.kind.rules.updatesUnconditionally === false)
    throw invalid({ group: call.served.kind.group, kind: call.served.kind.plural }, call.name, [mustNameVersion])
  if (uid && uid !== old.metadata.uid && !isPut)
    throw invalid(storedKind(call), call.name, [uidImmutable(uid), uidImmutable(uid)])
  if (isNamed && resourceVersion !== old.metadata.resourceVersion) throw conflict(aboutOf(call), call.name)
}

/** Whoever names a uid means the object that has it. */
export const uidConflict = (call: Call, uid: string, current: ApiObject | undefined, dryRun: boolean): ApiFailure =>
  conflict(
    aboutOf(call),
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${dryRun ? '' : '/registry'}/${folderOf(call)}/${[call.namespace, call.name].filter(Boolean).join('/')}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current?.metadata.uid ?? ''}`,
  )

/** Where the real server keeps what is not kept under its own name. */
const folders: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  nodes: 'minions',
}

const folderOf = ({ served: { kind } }: Call): string =>
  kind.custom || kind.group === 'apiextensions.k8s.io'
    ? `${kind.group}/${kind.plural}`
    : (folders[kind.plural] ?? kind.plural)

const uidImmutable = (uid: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: 'metadata.uid',
  message: `Invalid value: ${JSON.stringify(uid)}: field is immutable`,
})

const mustNameVersion: FieldError = {
  reason: 'FieldValueInvalid',
  field: 'metadata.resourceVersion',
  message: 'Invalid value: 0: must be specified for an update',
}

/** Fields of metadata that are the server's. What may not be there at all is left, for the checks to complain about. */
function keepServersOwn({ metadata }: ApiObject, { metadata: old }: ApiObject): void {
  const { uid = '', resourceVersion = '', creationTimestamp = '', generation, deletionTimestamp } = old
  metadata.uid ||= uid
  Object.assign(metadata, { resourceVersion, creationTimestamp })
  if (generation === undefined) delete metadata.generation
  else metadata.generation = generation
  if (deletionTimestamp) {
    metadata.deletionTimestamp = deletionTimestamp
    const { deletionGracePeriodSeconds } = old
    if (deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds
  }
  delete metadata.selfLink
}

function moveGeneration({ served }: Call, next: ApiObject, old: ApiObject): void {
  const { generationOf } = served.kind.rules
  if (!generationOf) return
  const { generation = 0 } = old.metadata
  next.metadata.generation = isDeepStrictEqual(generationOf(next), generationOf(old)) ? generation : generation + 1
  if (next.metadata.generation === 0) delete next.metadata.generation
}

/** The last finalizer that goes takes the object with it. */
async function store(deps: WriteDeps, call: Call, next: ApiObject, entry: Entry): Promise<ApiObject> {
  const { storage, namespace, name, revision: follows } = entry
  const place = { storage, namespace, name, follows }
  if (isOver(call, next)) {
    await deps.store.write({ ...place, object: undefined })
    return next
  }
  const written = await deps.store.write({ ...place, object: await toStored(next, call.served) })
  return objectOf(written, call.served)
}

/** Whether nothing keeps an object that is being deleted. */
export function isOver({ served }: Pick<Call, 'served'>, { metadata, ...rest }: ApiObject): boolean {
  if (!metadata.deletionTimestamp || (metadata.finalizers?.length ?? 0) > 0) return false
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false
  return (served.kind.rules.finalizersOf?.({ metadata, ...rest } as ApiObject).length ?? 0) === 0
}

/** Of each object that is being changed, when the last change that waits ends. */
const ends = new WeakMap<Store, Map<string, Promise<void>>>()

/**
 * Changes of one object, one after the other: of those that begin on the same state all but one would do their work in
 * vain. Disposing what it resolves to lets the next one begin; whoever waits for others meanwhile does so before.
 */
async function turnAt(store: Store, object: string): Promise<Disposable> {
  const ofStore = ends.get(store) ?? new Map<string, Promise<void>>()
  ends.set(store, ofStore)
  const before = ofStore.get(object)
  const { promise: end, resolve } = Promise.withResolvers<void>()
  ofStore.set(object, end)
  if (before) {
    await before
    await othersFirst()
  }
  return {
    [Symbol.dispose]() {
      if (ofStore.get(object) === end) ofStore.delete(object)
      resolve()
    },
  }
}
