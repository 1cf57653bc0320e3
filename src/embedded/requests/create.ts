import { randomUUID } from 'node:crypto'
import type { FieldError } from '../../core/schema/field-errors.ts'
import type { Admitted } from '../admission/admission.ts'
import { forbiddenBy } from '../authorization/forbidden.ts'
import type { Rules, WriteContext } from '../kinds/kind.ts'
import { checkMetadata } from '../kinds/metadata.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure, alreadyExists, invalid } from '../status.ts'
import { fresh } from '../storage/reading.ts'
import type { Entry } from '../storage/store.ts'
import { StaleWrite } from '../storage/store.ts'
import { timeText } from '../time-text.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf, contextOf, storedKind } from './call.ts'
import { settleNamespace } from './decode.ts'
import { track } from './managing.ts'
import type { WriteParameters } from './parameters.ts'
import { dropRepeatedOwners } from './repeated-owners.ts'
import { asReadBack, objectOf, toStored } from './representation.ts'

export interface CreateOptions {
  readonly parameters: WriteParameters
  readonly options: Readonly<Record<string, unknown>>
  /** Server-side apply has set the managed fields already. */
  readonly isApplied?: boolean
}

/** Names that are tried before a generated one is given up. */
const nameTries = 8

export async function createObject(
  deps: WriteDeps,
  call: Call,
  sent: ApiObject,
  create: CreateOptions,
): Promise<ApiObject> {
  settleNamespace(sent, call)
  dropServersOwn(sent)
  const isVersioned = Boolean(sent.metadata.resourceVersion) && sent.metadata.resourceVersion !== '0'
  const { parameters, options, isApplied = false } = create
  const { served } = call
  const context = contextOf(call, deps.clock, parameters.dryRun)
  served.kind.rules.defaults?.(sent, isApplied)
  if (!isApplied) dropRepeatedOwners(sent, call.warn, 'sent')
  if (!isApplied) track(call, { old: undefined, next: sent, parameters, now: context.now })
  const write: Admitted = {
    operation: 'CREATE',
    served,
    subresource: call.subresource,
    namespace: call.namespace,
    name: sent.metadata.name ?? '',
    object: sent,
    old: undefined,
    user: call.user,
    dryRun: parameters.dryRun,
    options,
    warn: call.warn,
  }
  const admitted = (await deps.admission.mutate(write)) ?? sent
  dropRepeatedOwners(admitted, call.warn, 'admitted')
  settleNamespace(admitted, call)
  // Only now: mutating webhooks see no name that is yet to be made up.
  const isGenerated = !admitted.metadata.name && Boolean(admitted.metadata.generateName)
  for (let attempt = 1; ; attempt++) {
    const object = isGenerated ? structuredClone(admitted) : admitted
    if (isGenerated) object.metadata.name = generatedName(object.metadata.generateName ?? '', deps)
    try {
      return await createNamed(deps, call, object, { ...write, object }, { ...context, isVersioned })
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
      if (!isGenerated || attempt === nameTries)
        throw alreadyExists(aboutOf(call), object.metadata.name ?? '', isGoing(error.current))
    }
  }
}

async function createNamed(
  deps: WriteDeps,
  call: Call,
  object: ApiObject,
  write: Admitted,
  context: WriteContext & { readonly isVersioned: boolean },
): Promise<ApiObject> {
  const { served } = call
  const { rules } = served.kind
  stamp(object, context.now)
  const unsettled = call.subresource === '' ? (rules.settle?.(object) ?? []) : []
  if (unsettled.length > 0) throw invalid(storedKind(call), object.metadata.name ?? '', unsettled)
  rules.prepareCreate?.(object, context)
  if (rules.generationOf) object.metadata.generation = 1
  const form = { namespaced: served.kind.namespaced, ...(rules.checkName && { checkName: rules.checkName }) }
  const errors = inOrder(rules.metadataOnCreate, {
    metadata: checkMetadata(object.metadata, form),
    check: rules.check?.(object) ?? [],
    checkCreate: (await rules.checkCreate?.(object)) ?? [],
  })
  const name = object.metadata.name ?? ''
  if (errors.length > 0) throw invalid(storedKind(call), name, errors)
  for (const warning of rules.warnings?.(object) ?? []) call.warn(warning)
  if (call.name !== '') await checkMayCreate(deps, call)
  await deps.admission.validate({ ...write, object, name })
  const { storage } = served.kind
  if (context.dryRun) {
    const current = deps.store.get(storage, call.namespace, name)
    if (current) throw new StaleWrite(current)
    return asReadBack(object, served)
  }
  // The storage says so, after all others had their say.
  if (context.isVersioned) throw new ApiFailure(500, '', 'resourceVersion should not be set on objects to be created')
  const stored = await toStored(object, served)
  const written = await deps.store.write({ storage, namespace: call.namespace, name, follows: 0, object: stored })
  return objectOf(written, served)
}

function inOrder(
  when: Rules['metadataOnCreate'],
  { metadata, check, checkCreate }: Record<'metadata' | 'check' | 'checkCreate', FieldError[]>,
): FieldError[] {
  if (when === 'last') return [...check, ...metadata, ...checkCreate]
  const own = [...check, ...checkCreate]
  return when === 'apart' && own.length > 0 ? own : [...metadata, ...own]
}

const isGoing = (entry: Entry | undefined): boolean =>
  entry?.text.includes('"deletionTimestamp"') === true && fresh(entry).metadata.deletionTimestamp !== undefined

/** Who may update or patch something that is not there yet has to be allowed to create it as well. */
async function checkMayCreate({ authorizer }: WriteDeps, call: Call): Promise<void> {
  const { served, subresource, namespace, name, user } = call
  const { group, plural: resource } = served.kind
  const place = { group, version: served.version.name, resource, subresource, namespace, name }
  const attributes = { user, verb: 'create', ...place }
  const decision = await authorizer.authorize(attributes)
  if (decision.verdict !== 'allow') throw forbiddenBy(attributes, decision)
}

/** What is the server's to say of a new object. */
function stamp({ metadata }: ApiObject, now: Date): void {
  dropServersOwn({ metadata })
  metadata.uid = randomUUID()
  metadata.creationTimestamp = timeText(now)
  delete metadata.resourceVersion
}

/** What no client may say of an object that it creates. */
export function dropServersOwn({ metadata }: Pick<ApiObject, 'metadata'>): void {
  delete metadata.uid
  delete metadata.creationTimestamp
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}

const suffixLength = 5
const longestPrefix = 63 - suffixLength

const generatedName = (prefix: string, { random }: Pick<WriteDeps, 'random'>): string =>
  prefix.slice(0, longestPrefix) + random.suffix(suffixLength)
