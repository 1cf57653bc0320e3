import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../../core/failure.ts'
import { silentLog } from '../../../core/log.ts'
import { randomFrom } from '../../../core/random.ts'
import { informer } from '../../../kube/informer.ts'
import { awsHubDriver } from './hub.ts'
import { awsAnnotations } from './hub-annotations.ts'
import { recordAnnotation } from './hub-record.ts'
import { MemoryAws } from './testing/memory-aws.ts'
import { aManagedCluster, fieldAnnotations, hub, managedArn, roleName } from './testing/samples.ts'

function scene(autoApprovedArnPatterns: readonly string[] = []) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const aws = new MemoryAws(() => clock.now())
  const common = { clock, random: randomFrom(() => 0), log: silentLog }
  const clusters = informer(kube.of(ManagedCluster.resource), common)
  const driver = awsHubDriver({
    hub,
    tags: {},
    iam: aws.iam,
    eks: aws.eks,
    kube,
    clusters,
    autoApprovedArnPatterns,
    checkpoint: () => {},
    ...common,
  })
  return { clock, kube, aws, clusters, driver, stored: kube.of(ManagedCluster.resource) }
}

async function mayAutoAccept(annotations: Record<string, string>, ...patterns: string[]): Promise<boolean> {
  const { driver, stored } = scene(patterns)
  return driver.mayAutoAccept(await stored.create(aManagedCluster('west', annotations)))
}

const byArn = (arn: string) => ({ [awsAnnotations.arn]: arn })
const pattern = 'arn:aws:eks:eu-west-1:567890123456:cluster/sp[a-z]+'

test('a cluster whose ARN matches a pattern from end to end may be accepted by the hub itself', async () => {
  assert.equal(await mayAutoAccept(byArn(managedArn), 'nothing', pattern), true)
  assert.equal(await mayAutoAccept(fieldAnnotations(), pattern), true)
  assert.equal(await mayAutoAccept(byArn(managedArn), `^${pattern}$`), true)
})

test('a match of a part, another region or account, or no pattern at all is not enough', async () => {
  assert.equal(await mayAutoAccept(byArn(`XXX${managedArn}`), pattern), false)
  assert.equal(await mayAutoAccept(byArn(`${managedArn}-2`), pattern), false)
  assert.equal(await mayAutoAccept(byArn(managedArn.replace('eu-west-1', 'eu-west-2')), pattern), false)
  assert.equal(await mayAutoAccept(byArn(managedArn), 'arn:aws:eks:eu-west-1:567890123456:cluster/'), false)
  assert.equal(await mayAutoAccept(byArn(managedArn)), false)
})

test('a cluster without annotations of AWS is not held up, and one with wrong ones is', async () => {
  assert.equal(await mayAutoAccept({}, pattern), true)
  assert.equal(await mayAutoAccept({}), true)
  assert.equal(await mayAutoAccept({ ...fieldAnnotations(), [awsAnnotations.fieldSuffix]: 'x' }, pattern), false)
})

test('a pattern that is none is told when the hub starts', () => {
  assert.throws(
    () => scene(['arn:(']),
    (error) => isFailure(error, 'AWS_PATTERN_INVALID'),
  )
})

test('what somebody changes in AWS is put right within twenty minutes, though AWS tells nobody', async () => {
  const { clock, aws, clusters, driver, stored } = scene()
  await driver.grant.ensure(await stored.create(aManagedCluster('west')))
  const stop = new AbortController()
  const running = Promise.all([clusters.run(stop.signal), driver.run(stop.signal)])
  await clock.settle()
  const before = structuredClone(aws.stored)
  aws.roles.get(roleName)?.inline.clear()
  for (const entry of aws.entries.values()) entry.groups = ['system:masters']
  await clock.advance('20m')
  assert.deepEqual(aws.stored, before)
  stop.abort()
  await running
})

test('a cluster that was denied or never granted is not kept up', async () => {
  const { clock, aws, clusters, driver, stored } = scene()
  const record = { [recordAnnotation]: `${roleName}:access-entry` }
  const denied = aManagedCluster('west', { ...byArn(managedArn), ...record })
  await stored.create({ ...denied, spec: { hubAcceptsClient: false, leaseDurationSeconds: 60 } })
  await stored.create(aManagedCluster('east', byArn(`${managedArn}-2`)))
  const stop = new AbortController()
  const running = Promise.all([clusters.run(stop.signal), driver.run(stop.signal)])
  await clock.advance('30m')
  assert.equal(aws.calls, 0)
  stop.abort()
  await running
})

test('a cluster that cannot be kept up for a while is kept up again after it', async () => {
  const { clock, aws, clusters, driver, stored } = scene()
  await driver.grant.ensure(await stored.create(aManagedCluster('west')))
  const stop = new AbortController()
  const running = Promise.all([clusters.run(stop.signal), driver.run(stop.signal)])
  await clock.settle()
  const before = structuredClone(aws.stored)
  const claim = (arn: string) =>
    stored.patch('west', { type: 'merge', body: { metadata: { annotations: byArn(arn) } } })
  await claim(`${managedArn}-2`)
  await clock.advance('30m')
  await claim(managedArn)
  aws.roles.get(roleName)?.inline.clear()
  await clock.advance('20m')
  assert.deepEqual(aws.stored, before)
  stop.abort()
  await running
})
