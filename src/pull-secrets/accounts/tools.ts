import type { Counter } from '../../core/metrics.ts'
import type { PullDeps } from '../deps.ts'

const turns = ['made', 'adopted', 'revived', 'removed', 'disabled', 'abandoned'] as const

const countOrphans = `SELECT count(*)::int AS n FROM credential_intents
  WHERE attempts > 0 AND phase IN ('planned', 'external_done', 'compensating')`

/** What the parts of this folder share. */
export interface Tools extends PullDeps {
  counts: {
    turns: Counter<{ registry: readonly string[]; turn: typeof turns }>
    unsafeNames: Counter
    foreignNames: Counter<{ registry: readonly string[] }>
  }
}

export function tools(deps: PullDeps): Tools {
  const registry = deps.registries.sources.map(({ id }) => id)
  const { metrics, database } = deps
  metrics.gauge(
    'lanyard_pull_orphan_intents_items',
    'Work at registries that has failed at least once and is not over: accounts may exist that nobody uses',
    {},
    {
      // Without a database the other metrics are still worth a look: this one keeps its value.
      async collect(gauge) {
        const counted = await database.data.query<{ n: number }>(countOrphans).catch(() => undefined)
        if (counted) gauge.set(counted.rows[0]?.n ?? 0)
      },
    },
  )
  return {
    ...deps,
    counts: {
      turns: metrics.counter('lanyard_pull_accounts_total', 'Accounts at registries, by what became of them', {
        registry,
        turn: turns,
      }),
      unsafeNames: metrics.counter(
        'lanyard_pull_unsafe_names_total',
        'Stored names that were not sent to a registry because they are not fit for a path: a person has to look',
      ),
      foreignNames: metrics.counter(
        'lanyard_pull_foreign_names_total',
        'Names of ours under which a registry has an account of somebody else',
        { registry },
      ),
    },
  }
}
