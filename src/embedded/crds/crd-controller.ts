import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Random } from '../../core/random.ts'
import { controller } from '../../kube/controller.ts'
import type { Kube } from '../../kube/kube.ts'
import { serviceResolver } from '../admission/resolve-service.ts'
import type { Registry } from '../kinds/registry.ts'
import { parsed } from '../storage/reading.ts'
import type { Change, Store } from '../storage/store.ts'
import { acceptNames, establishedBy, takenBy } from './accepted-names.ts'
import { finishDeletion } from './cleanup.ts'
import { conditionsOf, withCondition } from './conditions.ts'
import { CustomKinds } from './custom-kinds.ts'
import type { Definition, DefinitionStatus, Names } from './definition.ts'
import { hasCondition } from './definition.ts'
import { writeStatus } from './definition-writes.ts'

export interface CrdDeps {
  store: Store
  registry: Registry
  /** With full rights, in this process. */
  kube: Kube
  clock: Clock
  random: Random
  log: Log
}

export interface CrdController {
  readonly run: Run
  /** Serves all kinds whose definitions are established. To be called before the first request is taken. */
  loadAll(): void
}

/** Where definitions are kept. Objects of a custom kind are kept under the name of its definition. */
const storage = 'customresourcedefinitions.apiextensions.k8s.io'

/** Clearing away a kind may take long; so may its finalizers, which are not waited for. */
const deadlineMs = 600_000

/**
 * Establishes definitions and clears away the objects of those that are deleted. The registry follows the store: what
 * is served is what the last committed states of the definitions say, so nothing is lost when the process ends anywhere.
 */
export function crdController(deps: CrdDeps): CrdController {
  const { store, registry, clock, random, log } = deps
  const kinds = new CustomKinds(registry, { clock, resolveService: serviceResolver(store) })
  const work = controller('custom-resource-definitions', (name) => reconcile(name, deps), {
    ...{ clock, random, log, deadlineMs },
    // One at a time: who comes first has the name.
    workers: 1,
  })
  /** Of definitions that are being deleted or are gone: their objects are looked at as they come and go. */
  const ending = new Set<string>()

  const definitions = (): Definition[] => store.list(storage).entries.map((entry) => parsed<Definition>(entry))

  /** Those that wait for a name may get it when another definition of their group changes. */
  function wakeGroup({ spec }: Definition): void {
    for (const other of definitions())
      if (other.spec.group === spec.group && !hasCondition(other, 'NamesAccepted')) work.enqueue(nameOf(other))
  }

  function follow({ type, entry }: Change): void {
    const { name } = entry
    const definition = parsed<Definition>(entry)
    if (type === 'DELETED') kinds.forget(name)
    else kinds.follow(entry)
    if (type === 'DELETED' || definition.metadata.deletionTimestamp) ending.add(name)
    else ending.delete(name)
    work.enqueue(name)
    wakeGroup(definition)
  }

  store.subscribe((changes) => {
    for (const change of changes) {
      if (change.entry.storage === storage) follow(change)
      else if (ending.size > 0 && ending.has(change.entry.storage)) work.enqueue(change.entry.storage)
    }
  })

  const loadAll = () => {
    for (const entry of store.list(storage).entries) {
      kinds.follow(entry)
      if (parsed<Definition>(entry).metadata.deletionTimestamp) ending.add(entry.name)
    }
  }

  return {
    loadAll,
    run: async (signal) => {
      for (const definition of definitions()) work.enqueue(nameOf(definition))
      await work.run(signal)
    },
  }
}

const nameOf = ({ metadata }: Definition): string => metadata.name ?? ''

async function reconcile(name: string, deps: CrdDeps): Promise<Outcome> {
  const entry = deps.store.get(storage, '', name)
  if (!entry) return finishDeletion(undefined, name, deps)
  const definition = parsed<Definition>(entry)
  if (definition.metadata.deletionTimestamp) return finishDeletion(definition, name, deps)
  const status = statusFor(definition, namesBeside(definition, deps), deps.clock.now())
  if (!isDeepStrictEqual(status, definition.status)) await writeStatus(definition, status, deps.kube)
  return done
}

/** The names that are in use in the group, by other definitions and by what is served without one. */
function* namesBeside({ metadata, spec }: Definition, { store, registry }: CrdDeps): Generator<Partial<Names>> {
  for (const entry of store.list(storage).entries) {
    if (entry.name === metadata.name) continue
    const other = parsed<Definition>(entry)
    if (other.spec.group === spec.group && other.status?.acceptedNames) yield other.status.acceptedNames
  }
  for (const kind of registry.all()) {
    if (kind.custom || kind.group !== spec.group) continue
    const { plural, singular, shortNames, kind: name, listKind } = kind
    yield { plural, singular, shortNames: [...shortNames], kind: name, listKind }
  }
}

function statusFor(definition: Definition, others: Iterable<Partial<Names>>, now: Date): DefinitionStatus {
  const verdict = acceptNames(definition.spec.names, definition.status?.acceptedNames, takenBy(others))
  const at = now.toISOString().replace(/\.\d+Z$/, 'Z')
  const named = withCondition(conditionsOf(definition), verdict.namesAccepted, at)
  const conditions = hasCondition(definition, 'Established') ? named : withCondition(named, establishedBy(verdict), at)
  return { ...definition.status, conditions, acceptedNames: verdict.acceptedNames }
}
