import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { MemoryKube } from '../../test/support/memory-kube.ts'
import { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import { annotations } from '../fleet/names.ts'
import { awsAnnotations } from '../registration/drivers/marks.ts'
import { describeCluster } from './describe-cluster.ts'

const { signal } = new AbortController()

test('what a cluster shows the hub is told with its end, or that it has none', async () => {
  const clock = new FakeClock('2026-01-01T00:00:00Z')
  const kube = new MemoryKube(clock)
  const certificate = async (name: string, noted: Record<string, string>) => {
    await kube.of(ManagedCluster.resource).create({ metadata: { name, annotations: noted } })
    const { text } = await describeCluster(name, kube, { clock, signal })
    return /^Certificate: +(.*)$/m.exec(text)?.[1]
  }
  const expiring = { [annotations.certificateExpiresAt]: '2026-01-01T01:00:00Z' }
  const byRole = { [awsAnnotations.arn]: 'arn:aws:eks:us-west-2:123456789012:cluster/west' }
  assert.equal(await certificate('east', expiring), 'until 2026-01-01T01:00:00.000Z (1h left)')
  assert.equal(await certificate('new', {}), '-')
  const tokens = 'none: it shows tokens of its AWS role, each good for 15 minutes'
  assert.equal(await certificate('west', byRole), tokens)
  assert.equal(await certificate('moved', { ...byRole, ...expiring }), tokens)
})
