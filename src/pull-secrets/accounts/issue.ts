import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import type { Actor } from '../actor.ts'
import type { ClusterFacts } from '../cluster.ts'
import { failures } from '../failures.ts'
import type { Account, Found, RegistryDriver } from '../registries/registry.ts'
import { transact } from '../store/database.ts'
import { clear } from './clear.ts'
import type { AccountWanted, CredentialRow } from './contract.ts'
import { postpone, setPhase } from './intents.ts'
import type { Begun } from './keep.ts'
import { keep } from './keep.ts'
import { begunFor, nameTaken, plan, withdraw } from './plan.ts'
import { openToken } from './token.ts'
import type { Tools } from './tools.ts'
import { clearUnrecorded } from './unrecorded.ts'

interface Job {
  deps: Tools
  driver: RegistryDriver
  cluster: ClusterFacts | undefined
  held: AbortSignal
  actor: Actor
  isLate: boolean
}

export async function issue(
  deps: Tools,
  wanted: AccountWanted,
  held: AbortSignal,
  actor: Actor,
): Promise<CredentialRow> {
  const job: Job = {
    deps,
    driver: deps.registries.driver(wanted.registryId),
    cluster: wanted.cluster,
    held,
    actor,
    isLate: false,
  }
  const begun = await begunFor(deps, wanted)
  return await settle(job, begun ?? (await plan(deps, wanted, held)), begun !== undefined)
}

/** Goes on with one that was begun, for the sweeper. */
export const resume = (
  deps: Tools,
  begun: Begun,
  cluster: ClusterFacts | undefined,
  held: AbortSignal,
  actor: Actor,
): Promise<CredentialRow> =>
  settle(
    { deps, driver: deps.registries.driver(begun.row.registry_id), cluster, held, actor, isLate: true },
    begun,
    true,
  )

/** @param mayExist somebody may have called the registry for this name before: then it is asked before anything is made */
async function settle(job: Job, begun: Begun, mayExist: boolean): Promise<CredentialRow> {
  const { deps, driver, cluster, held } = job
  const { rotation_id: rotationId } = begun.row
  const wanted: AccountWanted = {
    ...(cluster && { cluster }),
    registryId: driver.id,
    ...(rotationId ? { as: 'staged', rotationId } : { as: 'active' }),
  }
  const settled = await attempt(job, begun, mayExist)
  return settled === 'another-name' ? await settle(job, await plan(deps, wanted, held), false) : settled
}

type Settled = CredentialRow | 'another-name'

async function attempt(job: Job, begun: Begun, mayHaveBeenMade: boolean): Promise<Settled> {
  const { deps, held } = job
  let mayExist = mayHaveBeenMade
  for (let left = 1; ; left -= 1) {
    try {
      return (mayExist && (await claim(job, begun, { isTaken: false }))) || (await make(job, begun))
    } catch (error) {
      if (held.aborted || !isFailure(error)) throw error
      switch (error.code) {
        case 'REGISTRY_UNCERTAIN':
          mayExist = true
          if (left > 0) continue
          await postpone(deps, begun.intent, error)
          throw error
        case 'REGISTRY_NAME_TAKEN': {
          // By `claim` itself it is somebody else's for certain, and withdrawn.
          if (error.params['isForeign']) throw error
          const claimed = mayExist && (await claim(job, begun, { isTaken: true }))
          if (claimed) return claimed
          throw await disown(job, begun)
        }
        case 'REGISTRY_UNAVAILABLE':
        case 'REGISTRY_UNAUTHORIZED':
          if (mayExist) await postpone(deps, begun.intent, error)
          else await withdraw(deps, begun)
          throw error
        case 'REGISTRY_REFUSED':
          await abandon(job, begun)
          throw error
        default:
          throw error
      }
    }
  }
}

async function make(job: Job, begun: Begun): Promise<CredentialRow> {
  const { deps, driver, cluster, held } = job
  held.throwIfAborted()
  const secret = driver.capabilities.choosesSecret ? openToken(deps, begun.row) : undefined
  const request = { name: begun.row.external_name, ...(secret && { secret }), ...(cluster && { cluster }) }
  const account = await driver.create(request, held)
  deps.checkpoint('pull.account-made')
  return await take(job, begun, account, 'create')
}

/**
 * Takes the account of our name if there is one: its intent is ours, so it is. Undefined: there is none, and it may be
 * made. One whose secret cannot be had is removed, and another name is used.
 */
async function claim(job: Job, begun: Begun, { isTaken }: { isTaken: boolean }): Promise<Settled | undefined> {
  const { deps, driver, held } = job
  const name = begun.row.external_name
  held.throwIfAborted()
  const found = await driver.find(name, held)
  if (!found && !isTaken) return undefined
  if (found?.isOurs === false) throw await disown(job, begun)
  const account = (found && (await accountOf(job, begun, found))) ?? (await recovered(job, begun))
  if (account) {
    deps.checkpoint('pull.account-made')
    return await take(job, begun, account, 'adopt')
  }
  await abandon(job, begun)
  return 'another-name'
}

/**
 * One that was deleted softly does not say whose it is before it is back. Somebody else's is left as it was; where
 * nobody can tell it is not used.
 */
async function recovered(job: Job, begun: Begun): Promise<Account | undefined> {
  const { driver, held } = job
  const name = begun.row.external_name
  const account = await driver.recover?.(name, held)
  const found = account && (await driver.find(name, held))
  if (found?.isOurs) return account
  if (found?.isOurs === undefined) return undefined
  await driver.remove({ name }, held)
  throw await disown(job, begun)
}

/** Nothing of it is ours, and nothing of it is kept. */
async function disown({ deps, driver }: Job, begun: Begun) {
  await withdraw(deps, begun)
  return nameTaken(deps, driver.id, begun.row.external_name)
}

async function accountOf({ deps, driver, held }: Job, { row }: Begun, found: Found): Promise<Account | undefined> {
  const token = driver.capabilities.choosesSecret ? openToken(deps, row) : undefined
  if (driver.finish) return await driver.finish(found, held, token)
  if (found.account) return found.account
  return token && { username: row.username, token, ...(found.ref && { ref: found.ref }) }
}

async function take(job: Job, begun: Begun, account: Account, action: 'create' | 'adopt'): Promise<CredentialRow> {
  const { deps, driver, held, actor, isLate } = job
  const isLegal = account.username.length > 0 && account.username.length <= 255 && !account.username.includes(':')
  if (!isLegal)
    throw failures.REGISTRY_REFUSED({ registry: driver.id, detail: 'the username is not fit for a document' })
  const kept = await keep(deps, begun, account, { action, isLate }, actor)
  if ('credential' in kept) {
    deps.counts.turns.inc({ registry: driver.id, turn: action === 'create' ? 'made' : 'adopted' })
    return kept.credential
  }
  await clearSurplus(job, begun, held)
  if (kept.surplus) return kept.surplus
  throw settledByAnother(begun)
}

const settledByAnother = ({ row }: Begun) =>
  failures.PULL_BUSY({ cluster: row.account_id ?? 'of the pool', retryAfterSeconds: 1 })

/** Only what our own record says is to be removed: whoever settled it meanwhile may have made it count. */
async function clearSurplus({ deps, actor }: Job, { row, intent }: Begun, held: AbortSignal): Promise<void> {
  const { db } = deps.database
  const now = await db.selectFrom('registry_credentials').selectAll().where('id', '=', row.id).executeTakeFirst()
  if (!now) await clearUnrecorded(deps, row, held, actor)
  else if (now.state === 'revoking') await clear(deps, now, intent, held, actor)
}

/** It must not be used: what there is of it outside goes, now or by the sweeper. */
async function abandon(job: Job, begun: Begun): Promise<'gone' | 'pending'> {
  const { deps, driver, held, actor } = job
  const row = await abandonment(deps, begun)
  if (!row) {
    await clearSurplus(job, begun, held)
    throw settledByAnother(begun)
  }
  deps.checkpoint('pull.revoking-marked')
  deps.counts.turns.inc({ registry: driver.id, turn: 'abandoned' })
  return await clear(deps, row, begun.intent, held, actor)
}

/** The record of it alone. Undefined: somebody else has settled it. */
export const abandonment = ({ database }: Tools, { row, intent }: Begun): Promise<CredentialRow | undefined> =>
  transact(database.db, async (tx) => {
    const marked = await tx
      .updateTable('registry_credentials')
      .set({ state: 'revoking', token: null, key_id: null, updated_at: sql`now()` })
      .where('id', '=', row.id)
      .where('state', '=', 'provisioning')
      .returningAll()
      .executeTakeFirst()
    if (marked) await setPhase(tx, intent.id, 'compensating')
    return marked
  })
