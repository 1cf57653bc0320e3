import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../../core/failure.ts'
import { silentLog } from '../../../core/log.ts'
import { done } from '../../../core/outcome.ts'
import { randomFrom } from '../../../core/random.ts'
import { informer } from '../../../kube/informer.ts'
import { failures } from './failures.ts'
import { awsHubDriver } from './hub.ts'
import { awsAnnotations } from './hub-annotations.ts'
import { recordAnnotation } from './hub-record.ts'
import { MemoryAws } from './testing/memory-aws.ts'
import { aManagedCluster, arnsLike, fieldAnnotations, hub, managedArn, roleName } from './testing/samples.ts'

function scene(autoApprovedArnPatterns: readonly string[] = [], { creates = true } = {}) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const aws = new MemoryAws(() => clock.now())
  const common = { clock, random: randomFrom(() => 0), log: silentLog }
  const clusters = informer(kube.of(ManagedCluster.resource), common)
  const events: string[] = []
  const driver = awsHubDriver({
    hub,
    tags: {},
    iam: aws.iam,
    eks: aws.eks,
    isEks: async () => true,
    creates,
    kube,
    events: {
      record: (_, { metadata }, { type, reason }) => void events.push(`${type} ${metadata?.name} ${reason}`),
      flush: async () => {},
    },
    clusters,
    ...(autoApprovedArnPatterns.length > 0 && { autoApprovedArns: arnsLike(autoApprovedArnPatterns) }),
    checkpoint: () => {},
    ...common,
  })
  return { clock, kube, aws, clusters, driver, events, stored: kube.of(ManagedCluster.resource) }
}

async function mayAutoAccept(annotations: Record<string, string>, ...patterns: string[]): Promise<boolean> {
  const { driver, stored } = scene(patterns)
  return driver.mayAutoAccept(await stored.create(aManagedCluster('west', annotations))) !== undefined
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

test('a cluster without annotations of AWS, or with wrong ones, is not accepted', async () => {
  assert.deepEqual([scene([pattern]).driver.accepts, scene().driver.accepts], [true, false])
  assert.equal(await mayAutoAccept({}, pattern), false)
  assert.equal(await mayAutoAccept({ ...fieldAnnotations(), [awsAnnotations.fieldSuffix]: 'x' }, pattern), false)
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

test('a cluster that cannot be kept up for a while is told of, and is kept up again after it', async () => {
  const { clock, aws, clusters, driver, events, stored } = scene()
  await driver.grant.ensure(await stored.create(aManagedCluster('west')))
  const stop = new AbortController()
  const running = Promise.all([clusters.run(stop.signal), driver.run(stop.signal)])
  await clock.settle()
  const before = structuredClone(aws.stored)
  const claim = (arn: string) =>
    stored.patch('west', { type: 'merge', body: { metadata: { annotations: byArn(arn) } } })
  await claim(`${managedArn}-2`)
  await clock.advance('30m')
  assert.ok(events.length >= 2)
  assert.deepEqual([...new Set(events)], ['Warning west AwsAccessNotKept'])
  await claim(managedArn)
  aws.roles.get(roleName)?.inline.clear()
  await clock.advance('20m')
  assert.deepEqual(aws.stored, before)
  stop.abort()
  await running
})

test('an error of AWS in the upkeep is told in an event of the cluster, with each try', async () => {
  const { clock, aws, clusters, driver, events, stored } = scene()
  await driver.grant.ensure(await stored.create(aManagedCluster('west')))
  const stop = new AbortController()
  const running = Promise.all([clusters.run(stop.signal), driver.run(stop.signal)])
  await clock.settle()
  for (let tries = 0; tries < 2; tries++)
    aws.failNext('iam.findRole', failures.AWS_REFUSED({ operation: 'iam:GetRole', code: 'AccessDenied' }))
  await clock.advance('20m')
  assert.deepEqual(events, Array(2).fill('Warning west AwsAccessNotKept'))
  stop.abort()
  await running
})

test('a role on record that is left alone is told in an event of the cluster', async () => {
  const { aws, driver, events, stored } = scene()
  await driver.grant.ensure(await stored.create(aManagedCluster('west')))
  for (const role of aws.roles.values()) role.tags = {}
  assert.deepEqual(await driver.grant.revoke(await stored.get('west')), done)
  assert.deepEqual([events, aws.roles.size], [['Warning west AwsRoleLeft'], 1])
})

test('a hub that is to leave AWS to people never asks it', async () => {
  const { clock, aws, clusters, driver, stored } = scene([], { creates: false })
  const stop = new AbortController()
  const running = Promise.all([clusters.run(stop.signal), driver.run(stop.signal)])
  const west = await stored.create(aManagedCluster('west'))
  await assert.rejects(driver.grant.ensure(west), (error) => isFailure(error, 'AWS_ACCEPT_BY_HAND'))
  const record = { [recordAnnotation]: `${roleName}:access-entry` }
  const east = await stored.create(aManagedCluster('east', { ...byArn(managedArn), ...record }))
  assert.deepEqual(await driver.grant.ensure(east), done)
  await clock.advance('30m')
  assert.equal(aws.calls, 0)
  stop.abort()
  await running
})
