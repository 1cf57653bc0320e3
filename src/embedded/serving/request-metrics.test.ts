import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../../core/metrics.ts'
import { readRequestInfo } from '../requests/request-info.ts'
import { requestMetrics } from './request-metrics.ts'

const seriesOf = (text: string): string[] =>
  text.split('\n').filter((line) => /^(lanyard_)?apiserver_request_total\{/.test(line))

test('methods and resources that strangers make up are counted, and not remembered', async () => {
  const metrics = await createMetrics({ process: false })
  const counted = requestMetrics(metrics, ({ plural }) => plural === 'secrets')
  const count = (method: string, path: string) => counted(readRequestInfo(method, path, new URLSearchParams()), 403)
  for (let i = 0; i < 5_000; i++) count(`M${i}`, `/api/v1/made-up-${i}`)
  count('GET', '/api/v1/secrets')
  const series = seriesOf(await metrics.text())
  assert.equal(series.length, 2)
  assert.ok(series.some((line) => line.includes('verb="OTHER"') && line.endsWith(' 5000')))
  assert.ok(series.some((line) => line.includes('resource="secrets"') && line.includes('verb="LIST"')))
})
