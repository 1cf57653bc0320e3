import type { Clock } from '../../core/clock.ts'
import type { Rules } from '../kinds/kind.ts'
import type { Served } from '../kinds/registry.ts'
import type { Selection } from '../select/matcher.ts'
import { matches, onlyName, selectionOf, selectsAll } from '../select/matcher.ts'
import { ApiFailure, badRequest } from '../status.ts'
import type { Entry, Store } from '../storage/store.ts'
import type { Continuation } from './continue-token.ts'
import { inconsistent, readToken, writeToken } from './continue-token.ts'
import type { ListMeta } from './forms.ts'
import type { Form } from './negotiate.ts'
import type { ListParameters } from './parameters.ts'

export interface Listed {
  readonly entries: readonly Entry[]
  readonly revision: number
  readonly continueToken?: string
  readonly remaining?: number
}

/** A list of custom objects says that nothing follows where others leave that out. */
export const listMeta = ({ revision, continueToken, remaining }: Listed, { kind }: Served, { as }: Form): ListMeta => ({
  resourceVersion: String(revision),
  ...((continueToken !== undefined || (kind.custom && as === 'object')) && { continue: continueToken ?? '' }),
  ...(remaining !== undefined && { remainingItemCount: remaining }),
})

/** What a list answers, before it is put into words. */
export async function listEntries(
  deps: { store: Store; clock: Clock },
  served: Served,
  namespace: string,
  parameters: ListParameters,
): Promise<Listed> {
  const { store } = deps
  const selection = selectionOf(served, parameters)
  const from = parameters.continueToken === '' ? undefined : readToken(parameters.continueToken)
  if (from && parameters.resourceVersion)
    throw badRequest('specifying resource version is not allowed when using continue')
  const at = from ? from.revision : exactVersion(parameters)
  const { rules } = served.kind
  await untilRevision(deps, at ?? parameters.resourceVersion ?? 0, rules)
  if (at !== undefined && at !== inconsistent && at < store.oldestRevision)
    throw from ? tokenExpired(from) : versionExpired()
  const limit = isFromCache(parameters) && !rules.isUncached ? 0 : parameters.limit
  const name = onlyName(selection)
  if (name !== undefined && at === undefined) return listOne(store, served, namespace, selection, name, limit)
  return page(store, served, selection, {
    limit,
    ...(namespace !== '' && { namespace }),
    ...(at !== undefined && at !== inconsistent && { at }),
    ...(from && { after: from.after }),
  })
}

/** Who takes any version is answered from the cache of the real server, which knows no pages. */
const isFromCache = ({ resourceVersion, match }: ListParameters): boolean => resourceVersion === 0 && match !== 'Exact'

/** A first page names the version that the others will be of. */
function exactVersion({ match, resourceVersion, limit }: ListParameters): number | undefined {
  if (!resourceVersion) return undefined
  return match === 'Exact' || (match === undefined && limit > 0) ? resourceVersion : undefined
}

/** A name is looked up, not searched for. In all namespaces it is searched for after all. */
function listOne(
  store: Store,
  served: Served,
  namespace: string,
  selection: Selection,
  name: string,
  limit: number,
): Listed {
  const { kind } = served
  if (kind.namespaced && namespace === '') return page(store, served, selection, { limit })
  const entry = store.get(kind.storage, namespace, name)
  return { entries: entry && matches(selection, entry, served) ? [entry] : [], revision: store.revision }
}

interface PageQuery {
  limit: number
  namespace?: string
  at?: number
  after?: string
}

function page(store: Store, served: Served, selection: Selection, query: PageQuery): Listed {
  const { storage } = served.kind
  const { limit, ...where } = query
  if (selectsAll(selection)) {
    const { entries, revision, remaining } = store.list(storage, limit > 0 ? query : where)
    return remaining === 0
      ? { entries, revision }
      : { entries, revision, remaining, continueToken: tokenAfter(entries.at(-1), revision) }
  }
  const { entries: all, revision } = store.list(storage, where)
  const entries: Entry[] = []
  for (const [index, entry] of all.entries()) {
    if (!matches(selection, entry, served)) continue
    entries.push(entry)
    if (entries.length === limit && index < all.length - 1)
      return { entries, revision, continueToken: tokenAfter(entry, revision) }
  }
  return { entries, revision }
}

const tokenAfter = (entry: Entry | undefined, revision: number): string =>
  writeToken({ after: `${entry?.namespace}/${entry?.name}`, revision })

const tokenExpiredWords =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

const tokenExpired = ({ after }: Continuation) =>
  new ApiFailure(410, 'Expired', tokenExpiredWords, undefined, {
    continue: writeToken({ after, revision: inconsistent }),
  })

const versionExpired = () => new ApiFailure(410, 'Expired', 'The resourceVersion for the provided list is too old.')

/** How long a read waits for a version that is not there yet. */
const patienceMs = 3_000

/** Resolves once the store has come so far. */
export async function untilRevision(
  { store, clock }: { store: Store; clock: Clock },
  revision: number,
  { isUncached = false }: Rules,
): Promise<void> {
  if (store.revision >= revision) return
  if (isUncached) throw tooLargeVersion(revision, store.revision)
  const over = Promise.withResolvers<void>()
  using _subscription = store.subscribe(() => {
    if (store.revision >= revision) over.resolve()
  })
  using _late = clock.countdown(patienceMs, over.resolve)
  await over.promise
  if (store.revision < revision) throw tooLargeVersion(revision, store.revision, { retryAfterSeconds: 1 })
}

const tooLargeVersion = (revision: number, current: number, advice = {}) =>
  new ApiFailure(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...advice,
  })
