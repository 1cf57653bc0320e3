import assert from 'node:assert/strict'
import { test } from 'node:test'
import { annotations } from '../../fleet/names.ts'
import { namespaces } from '../../kube/kinds.ts'
import { failures as awsFailures } from '../drivers/awsirsa/failures.ts'
import { ownTags } from '../drivers/awsirsa/tags.ts'
import { managedArn, roleName } from '../drivers/awsirsa/testing/samples.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { byArn, hubScene } from './testing/hub-scene.ts'

const inPlace = `${roleName}:access-entry`

/** A hub with the cluster west, and what people and backups do to it while the hub is down. */
function scene(...[t]: Parameters<typeof hubScene>) {
  const hub = hubScene(t)
  const { aws, clusters, kube } = hub
  const force = async () => {
    await clusters.patch('west', { type: 'merge', body: { metadata: { finalizers: [] } } })
    if (await clusters.find('west')) await clusters.delete('west')
  }
  return {
    ...hub,
    force,
    /** As a backup brings it back; without its record where the webhook runs already. */
    async restore(withRecord = true) {
      const { metadata, spec } = await clusters.get('west')
      await force()
      const written = withRecord ? metadata.annotations : byArn
      const { finalizers } = metadata
      return await clusters.create({
        metadata: { name: 'west', ...(written && { annotations: written }), ...(finalizers && { finalizers }) },
        ...(spec && { spec }),
      })
    },
    leaveWithoutCredentials() {
      aws.iam.findRole = async () => {
        throw awsFailures.AWS_NO_CREDENTIALS({ operation: 'iam:GetRole' })
      }
    },
    note: (copy: string | null) =>
      kube.of(namespaces).patch('west', {
        type: 'merge',
        body: { metadata: { annotations: { [annotations.awsRole]: copy } } },
      }),
    copy: async () => (await kube.of(namespaces).get('west')).metadata.annotations?.[annotations.awsRole],
    record: async () => (await clusters.get('west')).metadata.annotations?.[annotations.awsRole],
    uid: async () => (await clusters.get('west')).metadata.uid,
  }
}

for (const withRecord of [true, false])
  test(`a cluster that comes back from a backup keeps its role, ${withRecord ? 'with' : 'without'} its record`, async (t) => {
    const { start, join, restore, wait, accepted, aws, copy, record, uid } = scene(t)
    const stop = await start()
    await join('west', byArn)
    await stop()
    const before = await uid()
    await restore(withRecord)
    assert.notEqual(await uid(), before)
    aws.changes.length = 0
    await start()
    await wait('40m')
    assert.equal((await accepted('west')).status, 'True')
    assert.deepEqual([...new Set(aws.changes)].toSorted(), ['eks.tagAccessEntry', 'iam.tagRole'])
    assert.equal(aws.roles.get(roleName)?.tags[ownTags.managedClusterUid], await uid())
    assert.deepEqual([await record(), await copy()], [inPlace, `${inPlace} ${await uid()}`])
  })

test('so it does on a hub without AWS credentials, where its record says all', async (t) => {
  const { start, join, restore, leaveWithoutCredentials, wait, accepted, mayAnything, aws, copy, uid } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await restore()
  leaveWithoutCredentials()
  await start()
  await wait('40m')
  assert.deepEqual([(await accepted('west')).status, await mayAnything('west'), aws.roles.size], ['True', true, 1])
  assert.equal(await copy(), `${inPlace} ${await uid()}`)
})

test('a cluster of the same ARN that nobody accepted takes nothing over', async (t) => {
  const { start, join, force, wait, aws, copy } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await force()
  await start()
  await join('west', byArn, false)
  await wait('2m')
  assert.deepEqual([aws.roles.size, await copy()], [0, undefined])
})

test('a backup may bring the namespace back ten minutes before the cluster', async (t) => {
  const { start, join, restore, clusters, force, wait, accepted, aws } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await restore()
  const { metadata, spec } = await clusters.get('west')
  await force()
  await start()
  await wait('9m')
  assert.equal(aws.roles.size, 1)
  const { name, annotations: written = {}, finalizers = [] } = metadata
  aws.changes.length = 0
  await clusters.create({ metadata: { name, annotations: written, finalizers }, ...(spec && { spec }) })
  await wait('20m')
  assert.equal((await accepted('west')).status, 'True')
  assert.equal(aws.changes.includes('iam.deleteRole'), false)
})

test('a record of before there were copies gets one, and the role goes with a cluster that goes by force', async (t) => {
  const { start, join, force, wait, note, copy, uid, aws } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await note(null)
  const stopAgain = await start()
  assert.equal(await copy(), `${inPlace} ${await uid()}`)
  await stopAgain()
  await force()
  await start()
  await wait('12m')
  assert.equal(aws.roles.size, 0)
})

test('so does a record that somebody wrote before there was a namespace', async (t) => {
  const { start, join, leaveWithoutCredentials, copy, uid, accepted } = scene(t)
  leaveWithoutCredentials()
  await start()
  await join('west', { ...byArn, [annotations.awsRole]: inPlace })
  assert.equal((await accepted('west')).status, 'True')
  assert.equal(await copy(), `${inPlace} ${await uid()}`)
})

for (const [what, leave] of Object.entries({ denied: 'deny', deleted: 'delete' } as const))
  test(`a cluster that is ${what} once a person removed its role and its record leaves no copy in the way`, async (t) => {
    const { start, join, clusters, change, wait, accepted, copy } = scene(t)
    const stop = await start()
    await join('west', byArn)
    await stop()
    await start({ ways: ['csr'] })
    if (leave === 'delete') await clusters.delete('west')
    else await change('west', { spec: { hubAcceptsClient: false } })
    await wait('1m')
    assert.ok(await copy())
    await change('west', { metadata: { annotations: { [annotations.awsRole]: null, [awsAnnotations.arn]: null } } })
    await wait('1m')
    assert.equal(await copy(), undefined)
    if (leave === 'delete') await join('west')
    else await change('west', { spec: { hubAcceptsClient: true } })
    assert.equal((await accepted('west')).status, 'True')
  })

for (const ways of [['csr'], ['awsirsa', 'csr']] as const)
  test(`where no cluster is left to tell of a role that a hub (${ways}) cannot remove, its namespace does`, async (t) => {
    const { start, join, force, leaveWithoutCredentials, wait, told } = scene(t)
    const stop = await start()
    await join('west', byArn)
    await stop()
    await force()
    leaveWithoutCredentials()
    await start({ ways })
    await wait('12m')
    assert.match((await told('west')).join(), /annotation lanyard\.io\/aws-role of (the cluster and of its )?namespace/)
  })

test('a new cluster is told of the role of an earlier one what a person can do about it, and why', async (t) => {
  const { start, join, force, leaveWithoutCredentials, accepted, aws } = scene(t)
  const stop = await start()
  await join('west', byArn)
  await stop()
  await force()
  const find = aws.iam.findRole
  aws.iam.findRole = async () => {
    throw awsFailures.AWS_UNAVAILABLE({ operation: 'iam:GetRole', code: 'TimeoutError' })
  }
  const stopAgain = await start()
  await join('west', { [awsAnnotations.arn]: `${managedArn}-2` })
  const advice = /of an earlier cluster west .* annotation lanyard\.io\/aws-role of namespace west/
  const { message = '' } = await accepted('west')
  assert.match(message, advice)
  assert.match(message, /iam:GetRole: AWS gave no usable answer/)
  await stopAgain()
  aws.iam.findRole = find
  leaveWithoutCredentials()
  await start()
  assert.match((await accepted('west')).message ?? '', advice)
})
