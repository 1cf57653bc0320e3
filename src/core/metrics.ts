/** Each label with every value it may have, so that each series exists, at 0, from the start. */
export type LabelValues = Readonly<Record<string, readonly string[]>>
type NoLabels = Record<never, never>
type Labels<L extends LabelValues> = { readonly [Name in keyof L]: L[Name][number] }
type Labelled<L extends LabelValues> = keyof L extends never ? [] : [labels: Labels<L>]

export interface Counter<L extends LabelValues = NoLabels> {
  inc(...labelsThenBy: [...Labelled<L>, by?: number]): void
}

export interface Gauge<L extends LabelValues = NoLabels> {
  set(...labelsThenValue: [...Labelled<L>, value: number]): void
}

export interface Histogram<L extends LabelValues = NoLabels> {
  observe(...labelsThenValue: [...Labelled<L>, value: number]): void
}

export interface GaugeOptions<L extends LabelValues> {
  /** Called before each scrape, for a value that is read and not followed. */
  collect?: (gauge: Gauge<L>) => void | Promise<void>
}

export type Reading<Label extends string> = readonly [labels: Readonly<Record<Label, string>>, value: number]

export interface HistogramOptions {
  /** Upper bounds, in the metric's unit. Default: 5 ms to 10 s. */
  buckets?: readonly number[]
}

/**
 * The metrics of a process. To declare one again is to get the same one, with the new values of its labels added:
 * ten controllers share one counter, each with its own name as a value of `controller`.
 *
 * @example metrics.counter('lanyard_kube_reconciles_total', 'Reconciles by result', { result: ['done', 'error'] })
 */
export interface Metrics {
  counter<const L extends LabelValues = NoLabels>(name: string, help: string, labels?: L): Counter<L>
  gauge<const L extends LabelValues = NoLabels>(
    name: string,
    help: string,
    labels?: L,
    options?: GaugeOptions<L>,
  ): Gauge<L>
  histogram<const L extends LabelValues = NoLabels>(
    name: string,
    help: string,
    labels?: L,
    options?: HistogramOptions,
  ): Histogram<L>
  /**
   * A gauge whose series come and go, as those of clusters do: read whole at each scrape, and what is not read is gone.
   * The values of its labels must be names that people gave on purpose, and no more of them than there are such things.
   *
   * @example metrics.readings('lanyard_registration_lease_seconds', 'Age', ['cluster'], () => [[{ cluster: 'west' }, 4]])
   */
  readings<const Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => Iterable<Reading<Label>>,
  ): void
  /** Everything in the text format of Prometheus. */
  text(): Promise<string>
  readonly contentType: string
}

/** For a process that is not scraped, and for tests of something else. */
export const noMetrics: Metrics = {
  counter: () => ({ inc: () => {} }),
  gauge: () => ({ set: () => {} }),
  histogram: () => ({ observe: () => {} }),
  readings: () => {},
  text: async () => '',
  contentType: 'text/plain',
}

/**
 * prom-client is loaded on the first call: a command that is not scraped should not wait for it.
 *
 * @param options.process also report processor, memory, event loop and garbage collection under their usual names
 */
export async function createMetrics(options: { process?: boolean } = {}): Promise<Metrics> {
  const { prometheusMetrics } = await import('./prometheus.ts')
  return prometheusMetrics(options)
}
