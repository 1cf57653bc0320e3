import type { Counter, Metrics } from '../../core/metrics.ts'
import type { RequestInfo } from '../requests/request-info.ts'

/** Counts requests under the names that dashboards of Kubernetes know. */
export function requestMetrics(metrics: Metrics): (info: RequestInfo, code: number) => void {
  const counters = new Map<string, { inc(): void }>()
  return (info, code) => {
    const verb = info.verb.toUpperCase()
    const resource = info.isResource ? info.plural : ''
    const key = `${verb} ${resource} ${code}`
    let counter = counters.get(key)
    if (!counter) {
      // Names that strangers make up must not fill the memory.
      if (counters.size > mostSeries) return
      const labels = { verb: [verb], resource: [resource], code: [String(code)] }
      const declared: Counter<typeof labels> = metrics.counter(
        'apiserver_request_total',
        'Requests by verb, resource and answer',
        labels,
      )
      counter = { inc: () => declared.inc({ verb, resource, code: String(code) }) }
      counters.set(key, counter)
    }
    counter.inc()
  }
}

const mostSeries = 2_000
