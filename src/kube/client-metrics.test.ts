import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../core/metrics.ts'
import { apiCallMetrics } from './client-metrics.ts'

test('requests are counted by verb and class of answer', async () => {
  const metrics = await createMetrics()
  const count = apiCallMetrics(metrics)
  const about = { target: 'secrets', watch: false, ms: 20 }
  count({ ...about, method: 'GET', code: 200 })
  count({ ...about, method: 'GET', code: 404 })
  count({ ...about, method: 'GET', code: 409 })
  count({ ...about, method: 'PATCH', code: 0 })
  count({ ...about, method: 'GET', code: 200, watch: true })
  count({ ...about, method: 'OPTIONS', code: 101 })
  const lines = (await metrics.text()).split('\n').filter((line) => /^lanyard_kube_calls_total.* [1-9]/.test(line))
  assert.deepEqual(lines.sort(), [
    'lanyard_kube_calls_total{verb="GET",code="2xx"} 1',
    'lanyard_kube_calls_total{verb="GET",code="4xx"} 2',
    'lanyard_kube_calls_total{verb="PATCH",code="none"} 1',
    'lanyard_kube_calls_total{verb="WATCH",code="2xx"} 1',
    'lanyard_kube_calls_total{verb="other",code="none"} 1',
  ])
})
