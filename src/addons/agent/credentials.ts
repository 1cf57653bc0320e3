import { isDeepStrictEqual } from 'node:util'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { isForbidden } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { forgetWaiting } from '../drivers/csr/waiting-keep.ts'
import type { Credential, ItemReport } from '../drivers/driver.ts'
import type { RegistrationItem } from '../registrations.ts'
import type { Crew } from './crew.ts'
import type { AddonAgentDeps } from './deps.ts'
import type { PlannedItem } from './plan.ts'
import { isDeclared, secretKey } from './plan.ts'
import type { Reported } from './reports.ts'
import type { SecretPasses } from './secret-passes.ts'
import type { RecordedSecret, SecretRecord } from './secret-record.ts'
import { entryOf, isOfAnother, isSameEntry } from './secret-record.ts'

export interface CredentialsOptions {
  deps: AddonAgentDeps
  joined: JoinedHub
  record: SecretRecord
  runs: Crew
  board: SecretPasses
  addon(name: string): Stored<ManagedClusterAddOn> | undefined
  onReport(addon: string): void
}

/** The credentials that run, each under the key of its Secret: that is what no two may share. */
export interface Credentials {
  /** Ends what an add-on has and should not have, with its Secrets, and begins what it should. Other items go on when one fails. */
  settle(addon: string, planned: readonly PlannedItem[]): Promise<void>
  reported(item: RegistrationItem): Reported | undefined
  poke(isConcerned: (item: RegistrationItem) => boolean): void
}

interface Running {
  readonly item: RegistrationItem
  readonly credential: Credential
  report?: ItemReport
}

export function credentials(options: CredentialsOptions): Credentials {
  const { deps, joined, record, runs, board } = options
  const running = new Map<Key, Running>()

  async function end(key: Key): Promise<void> {
    await runs.stop(key)
    running.delete(key)
  }

  /**
   * In this order: killed in between, the record still knows of the Secret. Where the agent has no rights it could not
   * make one either; to try for ever would hold up the add-on.
   */
  async function remove(entry: RecordedSecret): Promise<void> {
    const key = secretKey({ secret: entry })
    await end(key)
    try {
      await deps.spoke.of(secrets, entry.namespace).delete(entry.name)
    } catch (error) {
      if (!isForbidden(error)) throw error
      const { addon, namespace, name } = entry
      deps.log.warn(
        { addon, namespace, name },
        'no right to remove this Secret of an add-on; if it is there, it is left',
      )
    }
    const { namespace, hubKubeconfigSecret: name } = deps.settings
    await forgetWaiting(deps.management, { namespace, name }, entry)
    board.remove(key)
    deps.checkpoint('addon.secret-removed')
    await record.remove(key)
  }

  function begin(planned: PlannedItem): void {
    const item = declaredItem(planned)
    const key = secretKey(item)
    const credential = planned.driver.credential({
      ...deps,
      joined,
      item,
      addon: () => options.addon(item.addon),
      report(report) {
        if (running.get(key) !== started) return
        started.report = report
        if (report.pass) board.put(key, report.pass)
        else board.remove(key)
        options.onReport(item.addon)
      },
    })
    const started: Running = { item, credential }
    running.set(key, started)
    runs.start(key, credential.run)
  }

  async function settleItem(planned: PlannedItem): Promise<void> {
    const key = secretKey(planned.item)
    const wanted = entryOf(planned, joined.stanza.server)
    const known = record.get(key)
    if (known && isOfAnother(known, wanted)) await remove(known)
    const old = running.get(key)
    if (old && !isDeepStrictEqual(old.item, declaredItem(planned))) await end(key)
    if (!isDeclared(planned) || running.has(key)) return
    const recorded = record.get(key)
    if (!recorded || !isSameEntry(recorded, wanted)) await record.put(wanted)
    deps.checkpoint('addon.secret-recorded')
    begin(planned)
  }

  return {
    async settle(addon, planned) {
      const wanted = new Set(planned.map(({ item }) => secretKey(item)))
      const past = record.list().filter((entry) => entry.addon === addon && !wanted.has(secretKey({ secret: entry })))
      const steps = [...past.map((entry) => () => remove(entry)), ...planned.map((item) => () => settleItem(item))]
      const failed: unknown[] = []
      for (const step of steps) await step().catch((error: unknown) => failed.push(error))
      if (failed.length > 0) throw failed[0]
    },
    reported(item) {
      const { report } = running.get(secretKey(item)) ?? {}
      return report && { item, report }
    },
    poke(isConcerned) {
      for (const { item, credential } of running.values()) if (isConcerned(item)) credential.poke()
    },
  }
}

/** The item as the hub shows it once it is declared. */
const declaredItem = ({ item, declaration }: PlannedItem): RegistrationItem => ({
  ...item,
  driver: declaration.driver,
  subject: declaration.subject,
})
