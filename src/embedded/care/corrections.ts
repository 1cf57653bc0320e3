import { randomUUID } from 'node:crypto'
import { accountTokenType } from '../controllers/account-tokens.ts'
import { bootstrapTokenType } from '../controllers/bootstrap-token.ts'
import type { ApiObject } from '../objects.ts'
import type { Entry } from '../storage/store.ts'

/**
 * What does not come back from a backup as it was: access that may have been revoked since. The caller of a restore knows
 * which kinds of objects give access.
 */
export interface Correction {
  /** What ends, for people: `sessions`. */
  readonly ends: string
  apply(objects: readonly Entry[], context: CorrectionContext): Corrected
}

export interface CorrectionContext {
  readonly now: Date
  /** The objects that the restored ones take the place of, as far as they are readable. Undefined: there were none. */
  readonly before: readonly Entry[] | undefined
}

export interface Corrected {
  /** Undefined: it does not come back. */
  readonly changed: ReadonlyMap<Entry, ApiObject | undefined>
  /** Of those, the ones that gave access. */
  readonly ended: readonly Entry[]
  /** What the operator has to know or do. */
  readonly warnings?: readonly string[]
}

export interface Ended {
  readonly what: string
  readonly namespace: string
  readonly name: string
}

export const objectOf = ({ text }: Entry): ApiObject => JSON.parse(text)

/** The object that each of one storage becomes, itself where it stays as it was. */
export const correctionOf = (
  ends: string,
  storage: string,
  correct: (object: ApiObject, context: CorrectionContext) => ApiObject | undefined,
): Correction => ({
  ends,
  apply(objects, context) {
    const changed = new Map<Entry, ApiObject | undefined>()
    for (const entry of objects) {
      if (entry.storage !== storage) continue
      const object = objectOf(entry)
      const corrected = correct(object, context)
      if (corrected !== object) changed.set(entry, corrected)
    }
    return { changed, ended: [...changed.keys()] }
  },
})

/** All corrections, one after the other. What is changed gets a revision of its own after `revision`. */
export function correctedObjects(
  objects: readonly Entry[],
  corrections: readonly Correction[],
  { revision, ...context }: CorrectionContext & { revision: number },
) {
  let [current, last] = [objects, revision]
  const ended: Ended[] = []
  const warnings: string[] = []
  for (const { ends, apply } of corrections) {
    const corrected = apply(current, context)
    ended.push(...corrected.ended.map(({ namespace, name }) => ({ what: ends, namespace, name })))
    warnings.push(...(corrected.warnings ?? []))
    current = current.flatMap((entry) => {
      if (!corrected.changed.has(entry)) return [entry]
      const object = corrected.changed.get(entry)
      if (!object) return []
      last += 1
      const metadata = { ...object.metadata, resourceVersion: String(last) }
      const text = JSON.stringify({ ...object, metadata })
      return [{ ...entry, revision: last, text, writtenAt: context.now.getTime() }]
    })
  }
  return { objects: current, revision: last, ended, warnings }
}

export const bootstrapTokens = correctionOf('bootstrap tokens', 'secrets', (secret) =>
  secret['type'] === bootstrapTokenType ? undefined : secret,
)

/**
 * A token names the uid of its account, so an account with another uid has none. Agents request another one, as
 * they do when an account was created anew; the controller fills Secrets that ask for one again. Rejected: another
 * signing key, which ends as much, but which agents of add-ons could not tell from a token that is still good.
 */
export const serviceAccountTokens: Correction = {
  ends: 'tokens of service accounts',
  apply(objects) {
    const accounts = objects.filter(({ storage }) => storage === 'serviceaccounts')
    const uids = new Map(accounts.map((entry) => [String(objectOf(entry).metadata.uid), randomUUID() as string]))
    const changed = new Map<Entry, ApiObject | undefined>()
    for (const entry of objects) {
      const object = renamed(entry, uids)
      if (object) changed.set(entry, object)
    }
    return { changed, ended: accounts }
  },
}

const uidAnnotation = 'kubernetes.io/service-account.uid'

/** The object with the new uids of accounts; undefined where it speaks of none. */
function renamed(entry: Entry, uids: ReadonlyMap<string, string>): ApiObject | undefined {
  const isAccount = entry.storage === 'serviceaccounts'
  if (!isAccount && !entry.text.includes(accountTokenType) && !entry.text.includes('"ServiceAccount"')) return undefined
  const object = objectOf(entry)
  const { metadata } = object
  if (isAccount) return { ...object, metadata: { ...metadata, uid: uids.get(String(metadata.uid)) ?? randomUUID() } }
  if (entry.storage === 'secrets' && object['type'] === accountTokenType) {
    const { token: _ended, ...data } = (object['data'] ?? {}) as Record<string, string>
    const { [uidAnnotation]: uid = '', ...annotations } = metadata.annotations ?? {}
    const known = uids.get(uid)
    const kept = known === undefined ? metadata.annotations : { ...annotations, [uidAnnotation]: known }
    return { ...object, metadata: { ...metadata, ...(kept && { annotations: kept }) }, data }
  }
  const owners = metadata.ownerReferences ?? []
  if (!owners.some(({ kind, uid }) => kind === 'ServiceAccount' && uids.has(uid))) return undefined
  const ownerReferences = owners.map((owner) => ({ ...owner, uid: uids.get(owner.uid) ?? owner.uid }))
  return { ...object, metadata: { ...metadata, ownerReferences } }
}
