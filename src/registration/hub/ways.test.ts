import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCondition } from '../../core/conditions.ts'
import { decisionOn } from '../../fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../fleet/csr/request.ts'
import { annotations, conditions, finalizers } from '../../fleet/names.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import { generateKey } from '../../pki/index.ts'
import { failures as awsFailures } from '../drivers/awsirsa/failures.ts'
import { ownTags } from '../drivers/awsirsa/tags.ts'
import { hub, managedArn, roleName } from '../drivers/awsirsa/testing/samples.ts'
import { awsAnnotations } from '../drivers/marks.ts'

import { byArn, hubScene } from './testing/hub-scene.ts'

test('each cluster comes by the driver that it names, and only that one grants', async (t) => {
  const { start, join, accepted, aws } = hubScene(t)
  await start()
  await join('east')
  assert.equal((await accepted('east')).status, 'True')
  assert.equal(aws.calls, 0)
  await join('west', byArn)
  assert.equal((await accepted('west')).status, 'True')
  assert.deepEqual([...aws.roles.keys()], [roleName])
})

test('a cluster of a way that the hub does not offer gets nothing, and is told which driver and flag are missing', async (t) => {
  const { start, join, change, accepted, mayAnything } = hubScene(t)
  await start({ ways: ['csr'] })
  await join('west', byArn)
  const { status, message = '' } = await accepted('west')
  assert.equal(status, 'False')
  assert.match(message, /driver awsirsa, .* awsirsa in --enabled-registration-drivers/)
  assert.equal(await mayAnything('west'), false)
  await change('west', { metadata: { annotations: { [awsAnnotations.arn]: null } } })
  assert.equal((await accepted('west')).status, 'True')
  assert.equal(await mayAnything('west'), true)
})

test('the role of a cluster is listed while there is anything of it, also by a hub that does not offer the way', async (t) => {
  const { start, join, change, passes } = hubScene(t)
  const stop = await start()
  await join('west', byArn, false)
  assert.deepEqual(await passes(), [])
  await change('west', { spec: { hubAcceptsClient: true } })
  assert.deepEqual(await passes(), ['join/west/aws PassIssued'])
  await stop()
  const stopCsr = await start({ ways: ['csr'] })
  await change('west', { spec: { hubAcceptsClient: false } })
  assert.deepEqual(await passes(), ['join/west/aws PassRevoked'])
  await stopCsr()
  await start()
  await change('west', {})
  assert.deepEqual(await passes(), [])
})

test('so is a cluster without annotations on a hub that joins by AWS IAM alone', async (t) => {
  const { start, join, accepted } = hubScene(t)
  await start({ ways: ['awsirsa'] })
  await join('east')
  const { status, message = '' } = await accepted('east')
  assert.equal(status, 'False')
  assert.match(message, /csr in --enabled-registration-drivers/)
})

test('the own driver of a new cluster alone lets it in, and the event says why', async (t) => {
  const { start, join, isIn, told } = hubScene(t)
  await start({ patterns: ['arn:aws:eks:eu-west-1:567890123456:cluster/sp.*'], users: ['listed'] })
  const created = { [annotations.createdBy]: 'listed' }
  await join('west', { ...byArn, [annotations.createdBy]: 'stranger' }, false)
  assert.equal(await isIn('west'), true)
  assert.match((await told('west')).join(), /accepted, because its ARN matches a pattern/)
  await join('east', created, false)
  assert.equal(await isIn('east'), true)
  assert.match((await told('east')).join(), /accepted, because a listed user created it/)
  await join('elsewhere', { ...created, [awsAnnotations.arn]: managedArn.replace('eu-west-1', 'eu-west-2') }, false)
  await join('prefixed', { ...created, [awsAnnotations.arn]: `XXX${managedArn}` }, false)
  assert.deepEqual([await isIn('elsewhere'), await isIn('prefixed')], [false, false])
})

test('nobody lets in a cluster of a way that the hub does not offer', async (t) => {
  const { start, join, isIn } = hubScene(t)
  await start({ ways: ['csr'], users: ['listed'] })
  await join('west', { ...byArn, [annotations.createdBy]: 'listed' }, false)
  assert.equal(await isIn('west'), false)
})

test('a certificate is not approved for a cluster that comes by AWS IAM', async (t) => {
  const { start, join, kube, wait } = hubScene(t)
  await start({ users: ['listed'] })
  const csrs = kube.of(certificateSigningRequests)
  const ask = async (cluster: string) => {
    const csr = await csrObject(agentOrder(cluster, 'a1'), generateKey().keyPem)
    const { metadata } = await csrs.create({ ...csr, spec: { ...csr.spec, username: 'listed' } })
    await wait()
    return decisionOn(await csrs.get(metadata.name))
  }
  await join('east')
  await join('west', byArn)
  assert.equal(await ask('east'), 'approved')
  assert.equal(await ask('west'), 'none')
})

test('a cluster with a role on record stays one of AWS IAM when its annotations are gone', async (t) => {
  const { start, join, change, accepted, aws, clusters, wait } = hubScene(t)
  await start()
  await join('west', byArn)
  await change('west', { metadata: { annotations: { [awsAnnotations.arn]: null } } })
  const { status, message = '' } = await accepted('west')
  assert.equal(status, 'False')
  assert.match(message, /was accepted with the role/)
  await clusters.delete('west')
  await wait('2m')
  assert.equal(await clusters.find('west'), undefined)
  assert.equal(aws.roles.size, 0)
})

test('a cluster with a role on record does not go while no driver can remove it', async (t) => {
  const { start, join, clusters, aws, wait, mayAnything } = hubScene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await start({ ways: ['csr'] })
  await clusters.delete('west')
  await wait('2m')
  const left = await clusters.get('west')
  const { message = '' } = findCondition(left.status?.conditions, conditions.deleting) ?? {}
  assert.match(message, /start it with awsirsa in --enabled-registration-drivers/)
  assert.deepEqual([...aws.roles.keys()], [roleName])
  assert.equal(await mayAnything('west'), false)
  await clusters.patch('west', { type: 'merge', body: { metadata: { annotations: { [annotations.awsRole]: null } } } })
  await wait('2m')
  assert.equal(await clusters.find('west'), undefined)
})

test('a cluster loses its rights on the hub also while AWS cannot be asked to remove its role', async (t) => {
  const { start, join, clusters, aws, wait, mayAnything } = hubScene(t)
  await start()
  await join('west', byArn)
  assert.equal(await mayAnything('west'), true)
  const away = awsFailures.AWS_UNAVAILABLE({ operation: 'iam:GetRole', code: 'ServiceFailure' })
  for (let tries = 0; tries < 6; tries++) aws.failNext('iam.findRole', away)
  await clusters.delete('west')
  await wait('1ms')
  assert.equal(await mayAnything('west'), false)
  assert.deepEqual([...aws.roles.keys()], [roleName])
  await wait('10m')
  assert.equal(await clusters.find('west'), undefined)
  assert.equal(aws.roles.size, 0)
})

test('a cluster of a reserved name goes only after what was made for it in AWS', async (t) => {
  const { start, wait, clusters, aws } = hubScene(t)
  await start()
  const tags = { [ownTags.hubCluster]: hub.arn, [ownTags.managedCluster]: 'kube-system' }
  await aws.iam.createRole({ name: roleName, trust: '{}', tags, description: '' })
  await clusters.create({
    metadata: {
      name: 'kube-system',
      annotations: { ...byArn, [annotations.awsRole]: `${roleName}:access-entry` },
      finalizers: [finalizers.apiResourceCleanup],
    },
    spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
  })
  await wait()
  const { findRole } = aws.iam
  aws.iam.findRole = async () => {
    throw awsFailures.AWS_UNAVAILABLE({ operation: 'iam:GetRole', code: 'TimeoutError' })
  }
  await clusters.delete('kube-system')
  await wait('10m')
  assert.deepEqual([(await clusters.get('kube-system')).metadata.name, aws.roles.size], ['kube-system', 1])
  Object.assign(aws.iam, { findRole })
  await wait('10m')
  assert.deepEqual([await clusters.find('kube-system'), aws.roles.size], [undefined, 0])
})
