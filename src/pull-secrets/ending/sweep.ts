import { loopActor } from '../actor.ts'
import { eachOf } from '../rotation/each-of.ts'
import type { EndingDeps, Hand } from './deps.ts'
import { clusterRow, suspensionRow } from './record.ts'
import { remove } from './remove.ts'
import { goOnResuming } from './resume.ts'
import { goOnSuspending } from './suspend.ts'

const atOnce = 4
const hand: Hand = { actor: loopActor('sweep'), isSweeper: true }

/**
 * Goes on with clusters that are being deleted, suspended or resumed, once what they wait for outside is over. What is
 * resumed asks all of its registries each time, so it waits for the next attempt of the one that failed.
 */
export async function sweepEndings(deps: EndingDeps, signal: AbortSignal): Promise<void> {
  const { database, settings, lock, log, clock } = deps
  const { rows } = await database.data.query<{ cluster_id: string }>(
    `SELECT cluster_id FROM (
       SELECT cluster_id, deleting_at AS since FROM pull_secret_clusters WHERE deleting_at IS NOT NULL
       UNION SELECT cluster_id, suspended_at FROM cluster_suspensions s WHERE phase = 'suspending'
         OR phase = 'resuming' AND NOT EXISTS (
           SELECT FROM credential_intents WHERE cluster_id = s.cluster_id AND attempts > 0 AND next_attempt_at > $2
             AND op IN ('create', 'recover') AND phase IN ('planned', 'external_done'))) AS unfinished
     GROUP BY cluster_id ORDER BY random() LIMIT $1`,
    [settings.sweep.batch, clock.now()],
  )
  await eachOf(rows, atOnce, signal, async ({ cluster_id: clusterId }) => {
    try {
      await lock.tryHold(clusterId, (held) => goOn(deps, clusterId, AbortSignal.any([held, signal])))
    } catch (error) {
      log.warn({ err: error, cluster: clusterId }, 'a cluster could not be brought to its end yet')
    }
  })
}

async function goOn(deps: EndingDeps, clusterId: string, held: AbortSignal): Promise<void> {
  const { db } = deps.database
  const cluster = await clusterRow(db, clusterId)
  if (cluster?.deleting_at) return void (await remove(deps, clusterId, held, hand))
  const suspension = await suspensionRow(db, clusterId)
  if (suspension?.phase === 'suspending') await goOnSuspending(deps, clusterId, held, hand)
  if (suspension?.phase === 'resuming') await goOnResuming(deps, clusterId, held, hand)
}
