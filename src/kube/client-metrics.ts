import type { Metrics } from '../core/metrics.ts'
import type { RequestSample } from './client/options.ts'

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'WATCH', 'other'] as const
const codes = ['2xx', '3xx', '4xx', '5xx', 'none'] as const

/** For `onRequest` of a client. Classes, not codes and paths: what a peer answers must not decide how many series there are. */
export function apiCallMetrics(metrics: Metrics): (sample: RequestSample) => void {
  const calls = metrics.counter('lanyard_kube_calls_total', 'Requests to Kubernetes APIs, retries counted', {
    verb: verbs,
    code: codes,
  })
  const seconds = metrics.histogram('lanyard_kube_call_seconds', 'Time until the answer was there; of a watch, open', {
    verb: verbs,
  })
  return (sample) => {
    const verb = verbOf(sample)
    calls.inc({ verb, code: classOf(sample.code) })
    seconds.observe({ verb }, sample.ms / 1_000)
  }
}

const verbOf = ({ method, watch }: RequestSample): (typeof verbs)[number] =>
  watch ? 'WATCH' : (verbs.find((verb) => verb === method) ?? 'other')

const classOf = (code: number): (typeof codes)[number] =>
  codes.find((name) => name === `${Math.floor(code / 100)}xx`) ?? 'none'
