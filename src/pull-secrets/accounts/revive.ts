import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import type { Actor } from '../actor.ts'
import type { ClusterFacts } from '../cluster.ts'
import { failures } from '../failures.ts'
import type { Account, RegistryDriver } from '../registries/registry.ts'
import { transact } from '../store/database.ts'
import { recordAudit } from '../store/record.ts'
import type { CredentialRow } from './contract.ts'
import type { IntentRow } from './intents.ts'
import { closeIntents, openIntent, postpone, setPhase } from './intents.ts'
import { issue } from './issue.ts'
import { isBlocked } from './keep.ts'
import { isTrustworthy, nextGeneration } from './names.ts'
import { nameTaken } from './plan.ts'
import { retire } from './retire.ts'
import type { Tools } from './tools.ts'
import { clearUnrecorded } from './unrecorded.ts'

export async function revive(
  deps: Tools,
  credential: CredentialRow,
  cluster: ClusterFacts,
  held: AbortSignal,
  actor: Actor,
): Promise<CredentialRow> {
  const entry = deps.registries.sources.find(({ id }) => id === credential.registry_id)
  if (!entry) throw failures.PULL_NO_REGISTRY({ registry: credential.registry_id })
  const driver = deps.registries.driver(entry.id)
  const canReturn = (driver.recover ?? driver.enable) && isTrustworthy(credential, driver, entry.type)
  const back = canReturn ? await bringBack(deps, driver, credential, cluster, held, actor) : undefined
  if (back && back !== 'foreign') return back
  const made = await issue(deps, { cluster, registryId: entry.id, as: 'active' }, held, actor)
  if (back === 'foreign') await disown(deps, credential, actor)
  else await retire(deps, credential, 'delete', held, actor)
  return made
}

/** The same account with a token again, under a generation of its own: whoever has the old document has to fetch it anew. */
async function bringBack(
  deps: Tools,
  driver: RegistryDriver,
  credential: CredentialRow,
  cluster: ClusterFacts,
  held: AbortSignal,
  actor: Actor,
): Promise<CredentialRow | 'foreign' | undefined> {
  const { database, clock, checkpoint, counts } = deps
  const begun = await transact(database.db, async (tx) => {
    // Held as by whoever retires it: somebody who has lost the lock may be at it as well, and both go on with one intent.
    const present = await tx
      .selectFrom('registry_credentials')
      .select('state')
      .where('id', '=', credential.id)
      .forUpdate()
      .executeTakeFirst()
    if (present?.state !== 'suspended') return undefined
    const generation = await nextGeneration(tx, cluster.id, driver.id)
    return await openIntent(tx, clock.now(), { ...credential, generation }, 'recover')
  })
  if (!begun) throw settledByAnother(cluster)
  const { intent } = begun
  checkpoint('pull.intent-planned')
  let account: Account | 'foreign' | undefined
  try {
    account = await accountBack(driver, credential, held)
  } catch (error) {
    if (!held.aborted && isFailure(error)) await postpone(deps, intent, error)
    throw error
  }
  if (!account) return undefined
  if (account === 'foreign') {
    nameTaken(deps, driver.id, credential.external_name)
    return account
  }
  checkpoint('pull.account-made')
  const row = await keep(deps, credential, intent, account, actor)
  checkpoint('pull.credential-stored')
  if (!row) {
    // Somebody else settled it while the lock was lost.
    await clearUnrecorded(deps, credential, held, actor)
    throw settledByAnother(cluster)
  }
  counts.turns.inc({ registry: driver.id, turn: 'revived' })
  return row
}

const settledByAnother = ({ id }: ClusterFacts) => failures.PULL_BUSY({ cluster: id, retryAfterSeconds: 1 })

/**
 * What was ours may have been purged, and its name be somebody else's by now: whose it is is asked before anything is
 * done about it. One that was deleted softly does not tell before it is back; somebody else's is then left as it was.
 */
async function accountBack(
  driver: RegistryDriver,
  credential: CredentialRow,
  held: AbortSignal,
): Promise<Account | 'foreign' | undefined> {
  const name = credential.external_name
  held.throwIfAborted()
  const before = await driver.find(name, held)
  if (before?.isOurs === false) return 'foreign'
  // Back since before a crash.
  if (before?.account && !before.isDisabled) return before.account
  held.throwIfAborted()
  const { account, trouble } = await called(driver, credential, held)
  if (before && account) return account
  held.throwIfAborted()
  const found = await driver.find(name, held)
  if (found?.isOurs === false) {
    await driver.remove({ name }, held)
    return 'foreign'
  }
  if (account) return account
  if (found?.account && !found.isDisabled) return found.account
  if (isFailure(trouble, 'REGISTRY_UNCERTAIN')) throw trouble
  return undefined
}

/** After both kinds of trouble it may have come back all the same. */
async function called(
  driver: RegistryDriver,
  { external_name: name, external_ref: ref }: CredentialRow,
  held: AbortSignal,
): Promise<{ account?: Account | undefined; trouble?: unknown }> {
  try {
    const target = { name, ...(ref && { ref }) }
    return { account: await (driver.enable ? driver.enable(target, held) : driver.recover?.(name, held)) }
  } catch (trouble) {
    if (!isFailure(trouble, 'REGISTRY_UNCERTAIN') && !isFailure(trouble, 'REGISTRY_REFUSED')) throw trouble
    return { trouble }
  }
}

/** Its account is gone, and what bears its name is not ours: nothing is sent. */
const disown = ({ database, clock }: Tools, { id, account_id, registry_id }: CredentialRow, actor: Actor) =>
  transact(database.db, async (tx) => {
    await tx.deleteFrom('registry_credentials').where('id', '=', id).where('state', '=', 'suspended').execute()
    await closeIntents(tx, id)
    await recordAudit(tx, clock.now(), {
      action: 'delete',
      actor,
      clusterId: account_id,
      credentialId: id,
      registryId: registry_id,
    })
  })

const keep = (
  { database, vault, clock }: Tools,
  credential: CredentialRow,
  intent: IntentRow,
  account: Account,
  actor: Actor,
): Promise<CredentialRow | undefined> =>
  transact(database.db, async (tx) => {
    const { id, registry_id: registryId, hyperfleet_instance_id: instanceId, account_id: clusterId } = credential
    if (clusterId && (await isBlocked(tx, clusterId))) return undefined
    const sealed = vault.seal({ credentialId: id, registryId, instanceId }, account.token)
    const row = await tx
      .updateTable('registry_credentials')
      .set({
        username: account.username,
        token: sealed.token,
        key_id: sealed.keyId,
        external_ref: account.ref ?? credential.external_ref,
        state: 'active',
        generation: intent.generation,
        rotation_id: null,
        issued_at: sql`now()`,
        expires_at: account.expiresAt ?? null,
        updated_at: sql`now()`,
      })
      .where('id', '=', id)
      .where('state', '=', 'suspended')
      .returningAll()
      .executeTakeFirst()
    if (!row) return undefined
    await setPhase(tx, intent.id, 'committed')
    await recordAudit(tx, clock.now(), {
      action: 'resume',
      actor,
      clusterId: row.account_id,
      credentialId: id,
      registryId,
    })
    return row
  })
