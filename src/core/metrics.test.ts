import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from './failure.ts'
import { createMetrics, noMetrics } from './metrics.ts'

const series = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('every series of a counter exists at 0 before anything is counted', async () => {
  const metrics = await createMetrics()
  metrics.counter('lanyard_kube_reconciles_total', 'Reconciles', { controller: ['lease'], result: ['done', 'error'] })
  metrics.counter('lanyard_kube_relists_total', 'Relists')
  assert.deepEqual(series(await metrics.text()), [
    'lanyard_kube_reconciles_total{controller="lease",result="done"} 0',
    'lanyard_kube_reconciles_total{controller="lease",result="error"} 0',
    'lanyard_kube_relists_total 0',
  ])
})

test('counters count, gauges are set, histograms observe', async () => {
  const metrics = await createMetrics()
  const counter = metrics.counter('lanyard_core_renewals_total', 'Renewals', { kind: ['join', 'pull'] })
  const plain = metrics.counter('lanyard_core_starts_total', 'Starts')
  const gauge = metrics.gauge('lanyard_core_passes_items', 'Passes kept')
  const histogram = metrics.histogram(
    'lanyard_core_renewal_seconds',
    'Time a renewal took',
    { kind: ['join'] },
    { buckets: [1, 5] },
  )
  counter.inc({ kind: 'join' })
  counter.inc({ kind: 'join' }, 2)
  plain.inc()
  plain.inc(4)
  gauge.set(7)
  histogram.observe({ kind: 'join' }, 2)
  assert.deepEqual(series(await metrics.text()), [
    'lanyard_core_renewals_total{kind="join"} 3',
    'lanyard_core_renewals_total{kind="pull"} 0',
    'lanyard_core_starts_total 5',
    'lanyard_core_passes_items 7',
    'lanyard_core_renewal_seconds_bucket{le="1",kind="join"} 0',
    'lanyard_core_renewal_seconds_bucket{le="5",kind="join"} 1',
    'lanyard_core_renewal_seconds_bucket{le="+Inf",kind="join"} 1',
    'lanyard_core_renewal_seconds_sum{kind="join"} 2',
    'lanyard_core_renewal_seconds_count{kind="join"} 1',
  ])
})

test('a gauge may be read at the moment of the scrape, by each who declares it', async () => {
  const metrics = await createMetrics()
  const depths = { lease: 0, csr: 0 }
  for (const queue of ['lease', 'csr'] as const)
    metrics.gauge(
      'lanyard_kube_queue_items',
      'Keys that wait',
      { queue: [queue] },
      { collect: (gauge) => gauge.set({ queue }, depths[queue]) },
    )
  Object.assign(depths, { lease: 3, csr: 1 })
  assert.deepEqual(series(await metrics.text()), [
    'lanyard_kube_queue_items{queue="lease"} 3',
    'lanyard_kube_queue_items{queue="csr"} 1',
  ])
})

test('a gauge that cannot be read does not take the others with it', async () => {
  const metrics = await createMetrics()
  const collect = () => {
    throw new Error('not now')
  }
  metrics.gauge('lanyard_core_broken_items', 'Broken', { kind: ['join'] }, { collect })
  metrics.gauge(
    'lanyard_core_passes_items',
    'Passes',
    { kind: ['join'] },
    { collect: (gauge) => gauge.set({ kind: 'join' }, 7) },
  )
  assert.ok(series(await metrics.text()).includes('lanyard_core_passes_items{kind="join"} 7'))
})

test('series that come and go are read whole at each scrape, by each who declares them', async () => {
  const metrics = await createMetrics()
  const ages = new Map([
    ['west', 4],
    ['east', 9],
  ])
  const declare = (read: () => Iterable<readonly [{ cluster: string }, number]>) =>
    metrics.readings('lanyard_registration_lease_seconds', 'Age of a lease', ['cluster'], read)
  declare(() => [...ages].map(([cluster, age]) => [{ cluster }, age] as const))
  declare(() => [[{ cluster: 'other' }, 1]])
  assert.deepEqual(series(await metrics.text()), [
    'lanyard_registration_lease_seconds{cluster="west"} 4',
    'lanyard_registration_lease_seconds{cluster="east"} 9',
    'lanyard_registration_lease_seconds{cluster="other"} 1',
  ])
  ages.delete('west')
  assert.deepEqual(series(await metrics.text()), [
    'lanyard_registration_lease_seconds{cluster="east"} 9',
    'lanyard_registration_lease_seconds{cluster="other"} 1',
  ])
})

test('declaring a metric again adds the values of its labels and keeps the counts', async () => {
  const metrics = await createMetrics()
  const declare = (controller: string) =>
    metrics.counter('lanyard_kube_reconciles_total', 'Reconciles', { controller: [controller] })
  declare('lease').inc({ controller: 'lease' })
  declare('csr')
  declare('lease').inc({ controller: 'lease' })
  assert.deepEqual(series(await metrics.text()), [
    'lanyard_kube_reconciles_total{controller="lease"} 2',
    'lanyard_kube_reconciles_total{controller="csr"} 0',
  ])
})

test('two instances share nothing', async () => {
  const [one, other] = [await createMetrics(), await createMetrics()]
  one.counter('lanyard_core_starts_total', 'Starts').inc()
  assert.deepEqual(series(await other.text()), [])
})

const badNames: [kind: 'counter' | 'gauge' | 'histogram', name: string][] = [
  ['counter', 'reconciles_total'],
  ['counter', 'lanyard_reconciles_total'],
  ['counter', 'lanyard_kube_reconciles'],
  ['counter', 'lanyard_kube_wait_seconds'],
  ['gauge', 'lanyard_kube_reconciles_total'],
  ['gauge', 'lanyard_kube_Queue_items'],
  ['histogram', 'lanyard_kube_wait_ms'],
]
for (const [kind, name] of badNames)
  test(`a ${kind} may not be called ${name}`, async () => {
    const metrics = await createMetrics()
    assert.throws(
      () => metrics[kind](name, 'help'),
      (error) => isFailure(error, 'METRIC_BAD_NAME'),
    )
  })

test('a metric cannot be declared again as something else', async () => {
  const metrics = await createMetrics()
  metrics.gauge('lanyard_kube_wait_seconds', 'Waiting', { queue: ['a'] })
  const again = [
    () => metrics.histogram('lanyard_kube_wait_seconds', 'Waiting', { queue: ['a'] }),
    () => metrics.gauge('lanyard_kube_wait_seconds', 'Waiting', { other: ['a'] }),
  ]
  for (const declare of again) assert.throws(declare, (error) => isFailure(error, 'METRIC_CONFLICT'))
})

test('a label value that was not declared is refused and not repeated', async () => {
  const metrics = await createMetrics()
  const counter = metrics.counter('lanyard_core_renewals_total', 'Renewals', { kind: ['join'] })
  // @ts-expect-error the type refuses it as well
  const count = () => counter.inc({ kind: 'hunter2' })
  assert.throws(count, (error) => isFailure(error, 'METRIC_UNKNOWN_LABEL') && !error.message.includes('hunter2'))
  assert.ok(!(await metrics.text()).includes('hunter2'))
})

test('the usual metrics of the process come on request', async () => {
  const metrics = await createMetrics({ process: true })
  assert.match(await metrics.text(), /process_resident_memory_bytes \d+/)
})

test('noMetrics takes everything and says nothing', async () => {
  noMetrics.counter('lanyard_core_renewals_total', 'Renewals', { kind: ['join'] }).inc({ kind: 'join' })
  noMetrics.gauge('lanyard_core_passes_items', 'Passes').set(1)
  assert.equal(await noMetrics.text(), '')
})
