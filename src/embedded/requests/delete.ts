import { after } from '../../core/clock.ts'
import type { FieldError } from '../../core/schema/field-errors.ts'
import type { Admitted } from '../admission/admission.ts'
import type { ApiObject } from '../objects.ts'
import { splitApiVersion } from '../objects.ts'
import type { Status } from '../status.ts'
import { conflict, invalid, notFound } from '../status.ts'
import type { Entry } from '../storage/store.ts'
import { StaleWrite } from '../storage/store.ts'
import { timeText } from '../time-text.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import { isOver } from './change.ts'
import { dryRunErrors } from './parameters.ts'
import { objectOf, toStored } from './representation.ts'

/** DeleteOptions, from the body and the query together. */
export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagationPolicy?: string
  orphanDependents?: boolean
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: string[]
}

/** What is left: nothing, or an object that something still keeps. */
export interface Deleted {
  readonly isGone: boolean
  /** The last state before it went, or the present one. */
  readonly object: ApiObject
}

const orphan = 'orphan'
const foreground = 'foregroundDeletion'
const policies = ['Foreground', 'Background', 'Orphan']

export function checkDeleteOptions({ propagationPolicy, orphanDependents, dryRun = [] }: DeleteOptions): void {
  const errors: FieldError[] = []
  const field = 'propagationPolicy'
  if (propagationPolicy !== undefined && orphanDependents !== undefined)
    errors.push({
      reason: 'FieldValueInvalid',
      field,
      message: `Invalid value: ${JSON.stringify(propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`,
    })
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy))
    errors.push({
      reason: 'FieldValueNotSupported',
      field,
      message: `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    })
  if (dryRun.some((value) => value !== 'All')) errors.push(...dryRunErrors(dryRun))
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
}

const tries = 20

/** `isOfMany` when it is one of a collection that is deleted: admission is told no name then. */
export async function deleteObject(
  deps: WriteDeps,
  call: Call,
  options: DeleteOptions,
  isOfMany = false,
): Promise<Deleted> {
  for (let attempt = 1; ; attempt++) {
    const entry = deps.store.get(call.served.kind.storage, call.namespace, call.name)
    if (!entry) throw notFound(aboutOf(call), call.name)
    try {
      return await deleteOnce(deps, call, options, entry, isOfMany)
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
      if (attempt === tries) throw conflict(aboutOf(call), call.name)
    }
  }
}

async function deleteOnce(
  deps: WriteDeps,
  call: Call,
  options: DeleteOptions,
  entry: Entry,
  isOfMany: boolean,
): Promise<Deleted> {
  const { served } = call
  const old = await objectOf(entry, served)
  const dryRun = (options.dryRun?.length ?? 0) > 0
  checkPreconditions(call, options, old)
  const write: Admitted = {
    operation: 'DELETE',
    served,
    subresource: '',
    namespace: call.namespace,
    name: isOfMany ? '' : call.name,
    object: undefined,
    old,
    user: call.user,
    dryRun,
    options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options },
    warn: call.warn,
  }
  await deps.admission.mutate(write)
  await deps.admission.validate(write)
  const next = await objectOf(entry, served)
  markDeleting(deps, call, next, options)
  const place = { storage: entry.storage, namespace: entry.namespace, name: entry.name, follows: entry.revision }
  const { graceSeconds, finalizersOf } = served.kind.rules
  // A namespace is only marked at first, even where nobody holds it.
  const isFirstOfTwo = finalizersOf !== undefined && old.metadata.deletionTimestamp === undefined
  if (isOver(call, next) && !isFirstOfTwo) {
    if (dryRun) return { isGone: true, object: graceSeconds ? next : old }
    // What is wound down is marked first, however short that is: those who watch are told of both.
    const isMarked = graceSeconds !== undefined && JSON.stringify(next) !== JSON.stringify(old)
    const marked = isMarked ? await deps.store.write({ ...place, object: await toStored(next, served) }) : entry
    const last = await deps.store.write({ ...place, follows: marked.revision, object: undefined })
    return { isGone: true, object: await objectOf(last, served) }
  }
  if (dryRun || JSON.stringify(next) === JSON.stringify(old)) return { isGone: false, object: next }
  const written = await deps.store.write({ ...place, object: await toStored(next, served) })
  return { isGone: false, object: await objectOf(written, served) }
}

function checkPreconditions(call: Call, { preconditions = {} }: DeleteOptions, { metadata }: ApiObject): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = preconditions
  const { storedAs, rules } = call.served.kind
  const refuse = (what: string, asked: string | undefined, found: string | undefined, guess: string) => {
    if (rules.finalizersOf)
      throw conflict(
        aboutOf(call),
        call.name,
        `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`,
      )
    throw conflict(
      { group: splitApiVersion(storedAs.apiVersion).group, plural: storedAs.kind },
      call.name,
      `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${guess}`,
    )
  }
  if (uid !== metadata.uid) refuse('UID', uid, metadata.uid, 'deleted and then recreated')
  if (resourceVersion !== metadata.resourceVersion)
    refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified')
}

/** What is being wound down can only be hurried: until then, policies are not heard. */
function isWoundDownAlready({ served }: Call, metadata: ApiObject['metadata'], asked: DeleteOptions): boolean {
  if (!served.kind.rules.graceSeconds || !metadata.deletionTimestamp) return false
  const { deletionGracePeriodSeconds: left = 0 } = metadata
  return left > 0 && (asked.gracePeriodSeconds ?? left) >= left
}

/** Says that it is being deleted, and what has to happen first. */
function markDeleting({ clock }: WriteDeps, call: Call, object: ApiObject, options: DeleteOptions): void {
  const { rules } = call.served.kind
  const { metadata } = object
  // Once a namespace goes, it goes.
  if (rules.finalizersOf && metadata.deletionTimestamp) return
  if (isWoundDownAlready(call, metadata, options)) return
  const present = metadata.finalizers ?? []
  const finalizers = rules.ownsNothing
    ? withoutCollector(present)
    : wantedFinalizers(present, options, rules.finalizersOf ? 'Foreground' : 'Background')
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
  const graceSeconds = rules.graceSeconds?.(object, options.gracePeriodSeconds) ?? 0
  const isFirst = metadata.deletionTimestamp === undefined
  if (!isFirst && graceSeconds >= (metadata.deletionGracePeriodSeconds ?? 0)) return
  metadata.deletionTimestamp = timeText(after(clock.now(), graceSeconds * 1_000))
  metadata.deletionGracePeriodSeconds = graceSeconds
  if (isFirst && metadata.generation) metadata.generation++
  rules.markDeleting?.(object)
}

const withoutCollector = (finalizers: readonly string[]): string[] =>
  finalizers.filter((finalizer) => finalizer !== orphan && finalizer !== foreground)

/** The garbage collector acts on the first two, before the object may go. */
function wantedFinalizers(present: readonly string[], options: DeleteOptions, unorphaned: string): string[] {
  const { orphanDependents, propagationPolicy } = options
  const policy = orphanDependents === undefined ? propagationPolicy : orphanDependents ? 'Orphan' : unorphaned
  if (policy === undefined) return [...present]
  const others = withoutCollector(present)
  if (policy === 'Orphan') return [...others, orphan]
  return policy === 'Foreground' ? [...others, foreground] : others
}

/** What a client is told of an object that is gone. */
export const goneStatus = ({ served, name }: Call, object: ApiObject): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name,
    ...(served.kind.group !== '' && { group: served.kind.group }),
    kind: served.kind.plural,
    ...(object.metadata.uid !== undefined && { uid: object.metadata.uid }),
  },
})
