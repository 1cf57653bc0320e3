import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../../core/metrics.ts'
import { spokeReasons } from '../../fleet/spoke/index.ts'
import type { CheckResult } from './check.ts'
import { reachMetrics } from './metrics.ts'

/** The first of the catalogue, up to those of another condition. */
const readyReasons = Object.values(spokeReasons).slice(0, Object.keys(spokeReasons).indexOf('PermissionsGranted'))

test('F11m: whatever a look at a cluster comes to, EgressDenied too, is counted: a look that cannot be counted is never told', async () => {
  const metrics = await createMetrics()
  const view = { configs: { list: () => [] } } as never
  const counts = reachMetrics({ metrics, view })
  for (const reason of readyReasons) counts.checked({ failure: { reason } } as unknown as CheckResult, 1)
  const text = await metrics.text()
  for (const reason of readyReasons) assert.match(text, new RegExp(`result="${reason}"} 1`))
})
