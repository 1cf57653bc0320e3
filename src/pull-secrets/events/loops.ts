import { after } from '../../core/clock.ts'
import type { PullDeps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import { eventOf } from './cloud-event.ts'
import type { Hyperfleet } from './hyperfleet.ts'
import type { Channel, Told } from './outbox.ts'
import { discard, drain, dropSuperseded, prune } from './outbox.ts'
import type { Publisher } from './publisher.ts'
import { sendStatus } from './status-report.ts'

type LoopDeps = Omit<PullDeps, 'lock' | 'vault'>

export interface OutboxOptions {
  /** Each gets every event. None: events are not kept. */
  publishers: readonly Publisher[]
  source: string
  /** Absent: reports are not kept. */
  api?: Hyperfleet
}

const results = ['told', 'dropped', 'failed'] as const
/** Longer than any broker keeps what was not acknowledged. */
const rememberedMs = 30 * 86_400_000

/** Two loops, so that a broker that is away does not hold up reports, nor the other way round. */
export function outboxLoops(deps: LoopDeps, { publishers, source, api }: OutboxOptions): Loop[] {
  const everyMs = deps.settings.loops.outboxMs
  const counter = deps.metrics.counter('lanyard_pull_outbox_total', 'Events and reports, by what became of them', {
    channel: ['event', 'status'],
    result: results,
  })
  const told = (channel: Channel) => (result: Told | 'failed') => counter.inc({ channel, result })
  return [
    {
      name: 'outbox',
      everyMs,
      async tick(signal) {
        if (publishers.length === 0) await discard(deps, 'event')
        const tell = async (row: Parameters<typeof eventOf>[0]): Promise<Told> => {
          const event = eventOf(row, source)
          for (const publisher of publishers) await publisher.publish(event, signal)
          return 'told'
        }
        await drain({ ...deps, channel: 'event', tell, told: told('event') }, signal)
        await prune(deps)
        await forgetProcessed(deps)
      },
    },
    {
      name: 'status',
      everyMs,
      async tick(signal) {
        if (!api) return await discard(deps, 'status')
        await dropSuperseded(deps)
        const tell = (row: Parameters<typeof sendStatus>[0]) => sendStatus(row, deps, api, signal)
        await drain({ ...deps, channel: 'status', tell, told: told('status') }, signal)
      },
    },
  ]
}

async function forgetProcessed({ database, clock }: LoopDeps): Promise<void> {
  const before = after(clock.now(), -rememberedMs)
  await database.db.deleteFrom('processed_events').where('created_at', '<', before).execute()
}
