import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentUser, annotations } from '../../fleet/names.ts'
import { namespaces, secrets } from '../../kube/kinds.ts'
import { failures as awsFailures } from '../drivers/awsirsa/failures.ts'
import { managedArn, roleName } from '../drivers/awsirsa/testing/samples.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { byArn, hubScene } from './testing/hub-scene.ts'

const pattern = 'arn:aws:eks:eu-west-1:567890123456:cluster/.*'
const anotherArn = `${managedArn}-2`

/** A hub, and what happens to its cluster west while the hub is down or AWS does not answer. */
function scene(...[t]: Parameters<typeof hubScene>) {
  const hub = hubScene(t)
  const { aws, clusters, kube, wait } = hub
  const find = aws.iam.findRole
  return {
    ...hub,
    async force() {
      await clusters.patch('west', { type: 'merge', body: { metadata: { finalizers: [] } } })
      if (await clusters.find('west')) await clusters.delete('west')
    },
    async delete() {
      await clusters.delete('west')
      await wait('2m')
      assert.equal(await clusters.find('west'), undefined)
    },
    leaveAws() {
      aws.iam.findRole = async () => {
        throw awsFailures.AWS_UNAVAILABLE({ operation: 'iam:GetRole', code: 'TimeoutError' })
      }
    },
    returnAws() {
      aws.iam.findRole = find
    },
    noted: async () => (await kube.of(namespaces).get('west')).metadata.annotations ?? {},
    known: () => [...aws.entries.keys()],
  }
}

test('no ARN brings a name back whose certificates may still be good: that takes a person', async (t) => {
  const { start, join, delete: remove, isIn, mayAnything, told } = scene(t)
  await start({ patterns: [pattern] })
  await join('west')
  await remove()
  await join('west', { ...byArn, [annotations.createdBy]: 'stranger' }, false)
  assert.deepEqual([await isIn('west'), await mayAnything('west')], [false, false])
  const [message = ''] = (await told('west')).filter((one) => one?.includes('not accepted'))
  assert.match(message, /a cluster of that name was on this hub before, .* lanyard accept west/)
})

test('nor does it bring a cluster into a namespace of somebody else', async (t) => {
  const { start, join, kube, isIn, told } = scene(t)
  await start({ patterns: [pattern] })
  await kube.of(namespaces).create({ metadata: { name: 'west' } })
  await join('west', byArn, false)
  assert.equal(await isIn('west'), false)
  assert.match((await told('west')).join(), /a namespace of that name is there .* lanyard accept west/)
})

test('a listed user may bring a name back', async (t) => {
  const { start, join, delete: remove, isIn } = scene(t)
  await start({ users: ['listed'], patterns: [pattern] })
  await join('west')
  await remove()
  await join('west', { [annotations.createdBy]: 'listed' }, false)
  assert.equal(await isIn('west'), true)
})

test('the namespace tells of the role for as long as there is any of it', async (t) => {
  const { start, join, clusters, change, noted, aws } = scene(t)
  await start()
  await join('west', byArn)
  const { uid } = (await clusters.get('west')).metadata
  assert.equal((await noted())[annotations.awsRole], `${roleName}:access-entry ${uid}`)
  await change('west', { spec: { hubAcceptsClient: false } })
  assert.equal(aws.roles.size, 0)
  assert.equal((await noted())[annotations.awsRole], undefined)
})

test('a cluster that somebody removed by force while the hub was down leaves nothing in AWS', async (t) => {
  const { start, join, force, wait, aws, known, noted } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await force()
  await start()
  await wait('12m')
  assert.deepEqual([aws.roles.size, known()], [0, []])
  assert.equal((await noted())[annotations.awsRole], undefined)
  assert.ok((await noted())[annotations.cleared])
})

test('nor does one that was removed by force while AWS did not answer, whoever asks in the end', async (t) => {
  const { start, join, force, wait, leaveAws, returnAws, clusters, aws, known, noted } = scene(t)
  const stop = await start()
  await join('west', byArn)
  leaveAws()
  await clusters.delete('west')
  await wait('10s')
  await force()
  await wait('60s')
  assert.equal((await noted())[annotations.cleared], undefined)
  await stop()
  returnAws()
  await start()
  await wait('12m')
  assert.deepEqual([aws.roles.size, known()], [0, []])
  assert.ok((await noted())[annotations.cleared])
})

for (const [what, written] of Object.entries({
  'comes by certificate': {},
  'has another ARN': { [awsAnnotations.arn]: anotherArn },
  'has the same ARN': byArn,
}))
  test(`a new cluster of the name that ${what} gets nothing before the role of the one before it is gone`, async (t) => {
    const { start, join, force, wait, leaveAws, returnAws, accepted, mayAnything, aws, known, clusters } = scene(t)
    const stop = await start()
    await join('west', byArn)
    const [before] = known()
    await stop()
    await force()
    leaveAws()
    await clusters.create({
      metadata: { name: 'west', annotations: written },
      spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
    })
    await start()
    await wait('5m')
    assert.notEqual((await accepted('west')).status, 'True')
    assert.deepEqual(known(), [before])
    // The role of before is this one's, too: whoever accepted it let that in.
    assert.equal(await mayAnything('west'), written === byArn, 'nor does the one before it keep its rights')
    returnAws()
    await wait('20m')
    assert.equal((await accepted('west')).status, 'True')
    assert.equal(await mayAnything('west'), true)
    assert.equal(known().includes(before ?? ''), written === byArn)
    assert.equal(aws.roles.size, awsAnnotations.arn in written ? 1 : 0)
  })

test('a hub without the driver says of a new cluster what is in its way, and goes on once a person removed it', async (t) => {
  const { start, join, force, accepted, kube, wait } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await force()
  await start({ ways: ['csr'] })
  await join('west')
  const { status, message = '' } = await accepted('west')
  assert.equal(status, 'False')
  assert.match(message, /annotation lanyard\.io\/aws-role of the cluster and of its namespace/)
  const body = { metadata: { annotations: { [annotations.awsRole]: null } } }
  await kube.of(namespaces).patch('west', { type: 'merge', body })
  await wait('30s')
  assert.equal((await accepted('west')).status, 'True')
})

test('a record in a namespace that says nothing is no reason to go on for ever', async (t) => {
  const { start, join, delete: remove, kube, wait, noted } = scene(t)
  await start()
  await join('west')
  await remove()
  for (const text of ['x', 'admin:access-entry some-uid', 'a b c']) {
    const body = { metadata: { annotations: { [annotations.awsRole]: text } } }
    await kube.of(namespaces).patch('west', { type: 'merge', body })
    await wait('12m')
    const calls = kube.calls.length
    await wait('10s')
    assert.equal(kube.calls.length, calls, text)
    assert.equal((await noted())[annotations.awsRole], undefined, text)
  }
})

test('what is in the namespace of a cluster that is gone goes, also while AWS does not answer', async (t) => {
  const { start, join, force, leaveAws, kube, wait } = scene(t)
  await start({ gcResources: [{ group: '', version: 'v1', plural: 'secrets' }] })
  await join('west', byArn)
  await kube.of(secrets, 'west').create({ metadata: { name: 'left' } })
  leaveAws()
  await force()
  await wait('30s')
  assert.equal(await kube.of(secrets, 'west').find('left'), undefined)
})

test('a cluster that took itself off is swept also while AWS does not answer', async (t) => {
  const { start, join, leaveAws, clusters, change, wait } = scene(t)
  await start()
  await join('west', { ...byArn, [annotations.createdBy]: agentUser('west', 'a1') })
  leaveAws()
  const unjoined = { metadata: { annotations: { [annotations.unjoinedAt]: '2026-01-01T00:00:30Z' } } }
  await change('west', { ...unjoined, spec: { hubAcceptsClient: false } })
  await wait('90m')
  assert.ok((await clusters.get('west')).metadata.deletionTimestamp)
})
