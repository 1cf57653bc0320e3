import { randomBytes } from 'node:crypto'
import { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'
import { uuidV7 } from '../ids.ts'
import type { RegistryDriver } from '../registries/registry.ts'
import { transact } from '../store/database.ts'
import { isDuplicate } from '../store/trouble.ts'
import type { AccountWanted, CredentialRow } from './contract.ts'
import { openIntent } from './intents.ts'
import type { Begun } from './keep.ts'
import { isBlocked } from './keep.ts'
import type { ChosenName } from './names.ts'
import { chooseName, isGuessable } from './names.ts'
import type { Tools } from './tools.ts'

/** What an earlier call or process began for the same, and did not finish. */
export async function begunFor({ database }: Tools, wanted: AccountWanted): Promise<Begun | undefined> {
  // Of the pool, several are made at once: one that is under way is not ours to take.
  if (!wanted.cluster) return undefined
  const row = await database.db
    .selectFrom('registry_credentials')
    .selectAll()
    .where('account_id', '=', wanted.cluster.id)
    .where('registry_id', '=', wanted.registryId)
    .where('state', '=', 'provisioning')
    .where('rotation_id', wanted.rotationId ? '=' : 'is', wanted.rotationId ?? null)
    .orderBy('generation', 'desc')
    .executeTakeFirst()
  if (!row) return undefined
  const intent = await database.db
    .selectFrom('credential_intents')
    .selectAll()
    .where('credential_id', '=', row.id)
    .where('op', '=', 'create')
    .where('phase', '=', 'planned')
    .executeTakeFirst()
  return intent && { row, intent }
}

/**
 * Chooses the name and commits it before anybody outside hears of it. Where somebody else could have come to the same
 * name, the registry is asked first: once our intent is on record, an account of that name counts as ours.
 */
export async function plan(deps: Tools, wanted: AccountWanted, held: AbortSignal): Promise<Begun> {
  const { database, registries, checkpoint } = deps
  const { cluster, registryId } = wanted
  const driver = registries.driver(registryId)
  const chosen = await chooseName(database.db, driver, cluster)
  if (isGuessable(driver, chosen.name, { ...(cluster && { cluster }), generation: chosen.generation })) {
    held.throwIfAborted()
    if (await driver.find(chosen.name, held)) throw nameTaken(deps, registryId, chosen.name)
  }
  held.throwIfAborted()
  const begun = await write(deps, wanted, driver, chosen)
  checkpoint('pull.intent-planned')
  return begun
}

/** Told apart from what a driver says by `isForeign`: it was looked into whose it is. */
export function nameTaken({ counts, log }: Tools, registry: string, name: string) {
  counts.foreignNames.inc({ registry })
  log.error({ registry, name }, 'a registry has an account of our name that is not ours')
  return failures.REGISTRY_NAME_TAKEN({ registry, name, ...{ isForeign: true } })
}

async function write(
  deps: Tools,
  { cluster, registryId, rotationId }: AccountWanted,
  driver: RegistryDriver,
  { name, generation }: ChosenName,
): Promise<Begun> {
  const { database, settings, vault, clock } = deps
  const id = uuidV7(clock.now())
  const owner = { credentialId: id, registryId, instanceId: settings.instanceId }
  const sealed = driver.capabilities.choosesSecret ? vault.seal(owner, newSecret()) : undefined
  try {
    return await transact(database.db, async (tx) => {
      if (cluster && (await isBlocked(tx, cluster.id))) throw failures.PULL_SUSPENDED({ cluster: cluster.id })
      const row: CredentialRow = await tx
        .insertInto('registry_credentials')
        .values({
          id,
          username: name,
          token: sealed?.token ?? null,
          key_id: sealed?.keyId ?? null,
          account_id: cluster?.id ?? null,
          registry_id: registryId,
          external_resource_id: cluster?.externalResourceId ?? null,
          hyperfleet_instance_id: settings.instanceId,
          external_name: name,
          external_ref: null,
          state: 'provisioning',
          generation,
          rotation_id: rotationId ?? null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const { intent } = await openIntent(tx, clock.now(), row, 'create')
      return { row, intent }
    })
  } catch (error) {
    // Two at once can only be when one of them has lost the lock.
    if (isDuplicate(error))
      throw failures.PULL_BUSY({ cluster: cluster?.id ?? 'of the pool', retryAfterSeconds: 1 }, error)
    throw error
  }
}

/** As demanding registries want it: upper and lower case, digits, and no sign that needs quoting. */
function newSecret(): Secret {
  for (;;) {
    const text = randomBytes(30).toString('base64url')
    if (/[a-z]/.test(text) && /[A-Z]/.test(text) && /[0-9]/.test(text)) return Secret.of(text)
  }
}

/** Takes back what was planned and certainly did not happen. The name was never used, so nothing has to remember it. */
export async function withdraw({ database }: Tools, { row, intent }: Begun): Promise<void> {
  await transact(database.db, async (tx) => {
    await tx.deleteFrom('registry_credentials').where('id', '=', row.id).where('state', '=', 'provisioning').execute()
    await tx.deleteFrom('credential_intents').where('id', '=', intent.id).where('phase', '=', 'planned').execute()
  })
}
