import type { Counter, Metrics } from '../../core/metrics.ts'
import type { RequestInfo, ResourceInfo } from '../requests/request-info.ts'

/**
 * Counts requests under the names that dashboards of Kubernetes know. Strangers make up methods and resources: what is
 * none here counts without its name, lest they fill the memory or keep others from being counted.
 */
export function requestMetrics(
  metrics: Metrics,
  isServed: (info: ResourceInfo) => boolean,
): (info: RequestInfo, code: number) => void {
  const counters = new Map<string, { inc(): void }>()
  return (info, code) => {
    const verb = verbs.has(info.verb) ? info.verb.toUpperCase() : 'OTHER'
    const resource = info.isResource && isServed(info) ? info.plural : ''
    const key = `${verb} ${resource} ${code}`
    let counter = counters.get(key)
    if (!counter) {
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

/** Custom kinds come and go. */
const mostSeries = 20_000

const verbs = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  ...['post', 'put', 'head', 'options'],
])
