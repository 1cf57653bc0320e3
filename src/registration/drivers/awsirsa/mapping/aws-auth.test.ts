import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../../../test/support/memory-kube.ts'
import { never } from '../../../../../test/support/never.ts'
import { isFailure } from '../../../../core/failure.ts'
import { isConflict, isForbidden } from '../../../../kube/failures.ts'
import { configMaps } from '../../../../kube/kinds.ts'
import { awsAuth, awsAuthEntries } from './aws-auth.ts'
import * as mapRoles from './map-roles.ts'

const { readMapRoles } = mapRoles
const entriesFor = (text: string, roleArn: string) => mapRoles.entriesFor(readMapRoles(text), roleArn)

const roleOf = (cluster: string) => `arn:aws:iam::123456789012:role/ocm-hub-${cluster}`
const mappedOf = (username: string) => ({ username, groups: [`system:open-cluster-management:${username}`] })
const nodes = `- rolearn: arn:aws:iam::123456789012:role/nodes
  username: system:node:{{EC2PrivateDNSName}}   # kept
  groups: [system:bootstrappers, system:nodes]
`

async function scene(data?: Record<string, string>) {
  const kube = new MemoryKube(new FakeClock())
  const stored = kube.of(configMaps, awsAuth.namespace)
  if (data) await stored.create({ metadata: { name: awsAuth.name, labels: { by: 'eksctl' } }, data })
  const text = async () => (await stored.get(awsAuth.name)).data?.['mapRoles'] ?? ''
  return { kube, stored, text, entries: awsAuthEntries(kube) }
}

const put = (entries: ReturnType<typeof awsAuthEntries>, cluster: string) =>
  entries.put(roleOf(cluster), mappedOf(cluster), {}, undefined)

test('an entry is put in beside all that the ConfigMap holds, found by its role, and taken out again', async () => {
  const { entries, stored, text } = await scene({ mapRoles: nodes, mapUsers: '- userarn: x\n' })
  const before = await stored.get(awsAuth.name)
  await put(entries, 'west')
  assert.ok((await text()).startsWith(nodes))
  const { isUnfit, ...found } = (await entries.find(roleOf('west'))) ?? {}
  assert.deepEqual([found, isUnfit], [{ kind: 'aws-auth', ...mappedOf('west') }, false])
  assert.equal(await entries.find(roleOf('wes')), undefined)
  await entries.remove(roleOf('west'))
  const { resourceVersion: _, generation: __, ...metadata } = (await stored.get(awsAuth.name)).metadata
  const { resourceVersion: ___, generation: ____, ...metadataBefore } = before.metadata
  assert.deepEqual([(await stored.get(awsAuth.name)).data, metadata], [before.data, metadataBefore])
})

test('a ConfigMap that is not there is made for an entry, and not for the removal of one', async () => {
  const { entries, kube, text } = await scene()
  await entries.remove(roleOf('west'))
  assert.equal(kube.count('create', 'update'), 0)
  await put(entries, 'west')
  assert.equal(entriesFor(await text(), roleOf('west')).length, 1)
})

test('what is right already is not written again', async () => {
  const { entries, kube } = await scene({ mapRoles: nodes })
  await put(entries, 'west')
  await put(entries, 'west')
  await entries.remove(roleOf('east'))
  assert.equal(kube.count('create', 'update'), 2)
})

test('text that cannot be read is left as it is, with a failure that says so', async () => {
  for (const mapRoles of ['- [', 'rolearn: x\n']) {
    const { entries, kube, text } = await scene({ mapRoles })
    for (const edit of [put(entries, 'west'), entries.remove(roleOf('west')), entries.find(roleOf('west'))])
      await assert.rejects(edit, (error) => isFailure(error, 'AWS_AUTH_UNREADABLE'))
    assert.equal(await text(), mapRoles)
    assert.equal(kube.count('update'), 0)
  }
})

test('an edit that comes in between is kept', async () => {
  const { kube, stored, text } = await scene({ mapRoles: '' })
  let edits = 0
  const meddled = kube.through(async (call, proceed) => {
    if (call.verb === 'update' && edits++ < 3) {
      const found = await stored.get(awsAuth.name)
      await stored.update({ ...found, data: { mapRoles: `${found.data?.['mapRoles']}# edit ${edits}\n` } })
    }
    return await proceed()
  })
  await put(awsAuthEntries(meddled), 'west')
  assert.equal((await text()).replace(/- rolearn[^#]*/, ''), '# edit 1\n# edit 2\n# edit 3\n')
  assert.equal(entriesFor(await text(), roleOf('west')).length, 1)
})

test('somebody else who makes the ConfigMap at the same time does not lose it', async () => {
  const { kube, stored, text } = await scene()
  const meddled = kube.through(async (call, proceed) => {
    if (call.verb === 'create') await stored.create({ metadata: { name: awsAuth.name }, data: { mapRoles: nodes } })
    return await proceed()
  })
  await put(awsAuthEntries(meddled), 'west')
  const wanted = { roleArn: roleOf('west'), ...mappedOf('west') }
  assert.equal(await text(), mapRoles.withEntry(readMapRoles(nodes), wanted).text)
})

test("many clusters at once do not get in each other's way", async () => {
  const { kube, entries, text } = await scene({ mapRoles: nodes })
  const clusters = Array.from({ length: 30 }, (_, index) => `c${index}`)
  await Promise.all(clusters.map((cluster) => put(entries, cluster)))
  assert.equal(kube.count('update'), 30)
  for (const cluster of clusters) assert.equal(entriesFor(await text(), roleOf(cluster)).length, 1)
})

test('it gives up after a few conflicts in a row, and at once on anything else', async () => {
  const { kube, entries } = await scene({ mapRoles: nodes })
  kube.failNext(100, kubeFailure(409, 'Conflict'), 'update')
  await assert.rejects(put(entries, 'west'), isConflict)
  assert.equal(kube.count('update'), 8)
  kube.recover()
  kube.failNext(100, kubeFailure(403, 'Forbidden'), 'update')
  await assert.rejects(put(entries, 'west'), isForbidden)
  assert.equal(kube.count('update'), 9)
})

test('whatever clusters come and go at the same time as an administrator edits, nobody loses anything', async () => {
  const clusters = ['west', 'east', 'north', 'south', 'westend']
  const action = fc.record({ cluster: fc.constantFrom(...clusters), puts: fc.boolean(), note: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 6 }), async (actions) => {
      const { kube, stored, text, entries } = await scene({ mapRoles: nodes })
      kube.delayMs = 0
      const notes: string[] = []
      const edits = actions.map(async ({ cluster, puts, note }, index) => {
        if (puts) await put(entries, cluster)
        else await entries.remove(roleOf(cluster))
        if (!note) return
        for (;;) {
          const found = await stored.get(awsAuth.name)
          try {
            await stored.update({ ...found, data: { mapRoles: `${found.data?.['mapRoles']}# note ${index}\n` } })
            notes.push(`# note ${index}`)
            return
          } catch (error) {
            if (!isConflict(error)) throw error
          }
        }
      })
      await Promise.all(edits)
      const read = readMapRoles(await text())
      const left = clusters.reduce((roles, cluster) => mapRoles.withoutEntry(roles, roleOf(cluster)), read).text
      never('lost', () =>
        assert.deepEqual(left.slice(nodes.length).split('\n').filter(Boolean).toSorted(), notes.toSorted()),
      )
      assert.ok(left.startsWith(nodes))
      for (const cluster of clusters) {
        const wishes = new Set(actions.filter((one) => one.cluster === cluster).map(({ puts }) => puts))
        if (wishes.size === 1)
          assert.equal(entriesFor(await text(), roleOf(cluster)).length, wishes.has(true) ? 1 : 0, cluster)
      }
    }),
    { numRuns: 60 },
  )
})
