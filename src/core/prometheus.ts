import type { CounterConfiguration, Metric } from 'prom-client'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { failures } from './failures.ts'
import type { LabelValues, Metrics } from './metrics.ts'
import { singleFlight } from './single-flight.ts'

const units = {
  counter: ['total'],
  gauge: ['seconds', 'bytes', 'ratio', 'items', 'state', 'info'],
  histogram: ['seconds', 'bytes', 'ratio', 'items'],
} as const

type Kind = keyof typeof units

interface Declared {
  kind: Kind
  metric: Metric<string>
  /** What a label may be. */
  values: Map<string, Set<string>>
}

export function prometheusMetrics({ process = false }: { process?: boolean }): Metrics {
  const register = new Registry()
  const declared = new Map<string, Declared>()
  const collectors = new Map<string, (() => void | Promise<void>)[]>()
  if (process) collectDefaultMetrics({ register })

  function declare<M extends Metric<string>>(
    kind: Kind,
    name: string,
    labels: LabelValues,
    make: (config: Pick<CounterConfiguration<string>, 'name' | 'labelNames' | 'registers'>) => M,
    zero: (metric: M, labels: Record<string, string>) => void,
  ) {
    checkName(kind, name)
    const known = declared.get(name)
    if (known) checkSame(name, known, kind, labels)
    const metric =
      (known?.metric as M | undefined) ?? make({ name, labelNames: Object.keys(labels), registers: [register] })
    const values = known?.values ?? new Map(Object.keys(labels).map((label) => [label, new Set<string>()]))
    for (const [label, more] of Object.entries(labels)) for (const value of more) values.get(label)?.add(value)
    declared.set(name, { kind, metric, values })
    // Only the series of this declaration start at 0, not every mix with values that others declared.
    for (const series of combinations(labels)) zero(metric, series)
    return { metric, check: (given: Record<string, string>) => checkLabels(name, values, given) }
  }

  return {
    counter(name, help, labels) {
      const { metric, check } = declare(
        'counter',
        name,
        labels ?? {},
        (config) => new Counter({ ...config, help }),
        (counter, series) => counter.inc(series, 0),
      )
      return { inc: (...args: unknown[]) => withLabels(args, check, (series, by) => metric.inc(series, by ?? 1)) }
    },
    gauge(name, help, labels, { collect } = {}) {
      const readings = collectors.get(name) ?? []
      collectors.set(name, readings)
      const { metric, check } = declare(
        'gauge',
        name,
        labels ?? {},
        (config) => new Gauge({ ...config, help, collect: () => readAll(readings) }),
        (made, series) => made.inc(series, 0),
      )
      const gauge = {
        set: (...args: unknown[]) => withLabels(args, check, (series, to) => metric.set(series, to ?? 0)),
      }
      if (collect) readings.push(() => collect(gauge))
      return gauge
    },
    histogram(name, help, labels, { buckets } = {}) {
      const { metric, check } = declare(
        'histogram',
        name,
        labels ?? {},
        (config) => new Histogram({ ...config, help, ...(buckets && { buckets: [...buckets] }) }),
        (histogram, series) => histogram.zero(series),
      )
      return {
        observe: (...args: unknown[]) => withLabels(args, check, (series, seen) => metric.observe(series, seen ?? 0)),
      }
    },
    readings(name, help, labels, read) {
      const readers = collectors.get(name) ?? []
      collectors.set(name, readers)
      const none: LabelValues = Object.fromEntries(labels.map((label) => [label, []]))
      const { metric } = declare(
        'gauge',
        name,
        none,
        (config) =>
          new Gauge({
            ...config,
            help,
            async collect() {
              this.reset()
              await readAll(readers)
            },
          }),
        () => {},
      )
      readers.push(() => {
        for (const [series, value] of read()) metric.set(series, value)
      })
    },
    text: singleFlight(() => register.metrics()),
    contentType: register.contentType,
  }
}

/** A reading that fails leaves its series as they were; it must not take the whole scrape with it. */
const readAll = async (readings: readonly (() => void | Promise<void>)[]): Promise<void> => {
  await Promise.allSettled(readings.map(async (read) => read()))
}

function withLabels(
  args: unknown[],
  check: (given: Record<string, string>) => void,
  act: (labels: Record<string, string>, amount: number | undefined) => void,
): void {
  const labels = (typeof args[0] === 'object' ? args[0] : {}) as Record<string, string>
  check(labels)
  act(
    labels,
    args.find((arg) => typeof arg === 'number'),
  )
}

/** `apiserver_` is for what a Kubernetes API server reports under that name, and dashboards look for. */
function checkName(kind: Kind, name: string): void {
  const pattern = new RegExp(`^(lanyard_[a-z]+|apiserver)_[a-z_]*[a-z]_(${units[kind].join('|')})$`)
  if (!pattern.test(name)) throw failures.METRIC_BAD_NAME({ kind, name, units: units[kind].join(', ') })
}

function checkSame(name: string, known: Declared, kind: Kind, labels: LabelValues): void {
  if (known.kind !== kind) throw failures.METRIC_CONFLICT({ name, detail: `a ${known.kind}` })
  const [old, now] = [[...known.values.keys()].sort().join(), Object.keys(labels).sort().join()]
  if (old !== now) throw failures.METRIC_CONFLICT({ name, detail: `with labels (${old})` })
}

/** A value nobody declared may be one that nobody bounded: the name of a user, an address, a token. */
function checkLabels(name: string, values: Map<string, Set<string>>, given: Record<string, string>): void {
  for (const [label, allowed] of values)
    if (!allowed.has(given[label] ?? '')) throw failures.METRIC_UNKNOWN_LABEL({ name, label })
}

function combinations(labels: LabelValues): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) => all.flatMap((series) => values.map((value) => ({ ...series, [label]: value }))),
    [{}],
  )
}
