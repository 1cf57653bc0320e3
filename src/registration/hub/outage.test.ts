import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from '../../core/clock.ts'
import { failures as awsFailures } from '../drivers/awsirsa/failures.ts'
import { mostPasses } from '../drivers/awsirsa/hub-gate.ts'
import { managedArn } from '../drivers/awsirsa/testing/samples.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { byArn, hubScene } from './testing/hub-scene.ts'

type Scene = ReturnType<typeof hubScene>

const away = () => awsFailures.AWS_UNAVAILABLE({ operation: 'iam:GetRole', code: 'TimeoutError' })
const atWest = { metadata: { annotations: { 'example.com/news': '1' } } }

function breakAws({ aws }: Scene): () => void {
  const { findRole } = aws.iam
  aws.iam.findRole = async () => {
    throw away()
  }
  return () => Object.assign(aws.iam, { findRole })
}

/** AWS takes ten seconds for each question, until it is disposed of. `most` were under way at a time. */
function slowDown({ aws, clock }: Scene) {
  const { findRole } = aws.iam
  const end = new AbortController()
  const counts = { now: 0, most: 0, [Symbol.dispose]: () => end.abort() }
  aws.iam.findRole = async (name) => {
    counts.now += 1
    counts.most = Math.max(counts.most, counts.now)
    await sleep(clock, 10_000, end.signal).catch(() => {})
    counts.now -= 1
    return await findRole(name)
  }
  return counts
}

const joinMany = async ({ clusters }: Scene, count: number) => {
  for (let index = 0; index < count; index++)
    await clusters.create({
      metadata: { name: `aws-${index}`, annotations: { [awsAnnotations.arn]: `${managedArn}-${index}` } },
      spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
    })
}

async function acceptedOnes({ clusters, accepted }: Scene): Promise<number> {
  const all = await Promise.all((await clusters.list()).items.map(({ metadata }) => accepted(metadata.name)))
  return all.filter(({ status }) => status === 'True').length
}

test('a cluster that has its access keeps it while AWS cannot be asked, also over a start of the hub', async (t) => {
  const scene = hubScene(t)
  const stop = await scene.start()
  await scene.join('west', byArn)
  await stop()
  breakAws(scene)
  await scene.start()
  assert.equal((await scene.accepted('west')).status, 'True')
  await scene.wait('25m')
  await scene.change('west', atWest)
  assert.equal((await scene.accepted('west')).status, 'True')
  assert.ok((await scene.told('west')).some((message) => message?.includes('AWS gave no usable answer')))
})

test('a cluster that is new while AWS cannot be asked is told why, and gets its access once AWS answers', async (t) => {
  const scene = hubScene(t)
  await scene.start()
  const mend = breakAws(scene)
  await scene.join('west', byArn)
  await scene.join('east', { [awsAnnotations.arn]: `${managedArn}-2` })
  for (const name of ['west', 'east']) {
    const { status, message = '' } = await scene.accepted(name)
    assert.equal(status, 'False')
    assert.match(message, /AWS gave no usable answer/)
  }
  mend()
  await scene.wait('2m')
  for (const name of ['west', 'east']) assert.equal((await scene.accepted(name)).status, 'True')
})

test('a cluster of another way does not wait behind those for which AWS is slow', async (t) => {
  const scene = hubScene(t)
  using counts = slowDown(scene)
  await joinMany(scene, 50)
  await scene.start()
  await scene.clusters.create({
    metadata: { name: 'plain' },
    spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
  })
  await scene.wait('1s')
  assert.equal((await scene.accepted('plain')).status, 'True')
  await scene.wait('15m')
  assert.equal(await acceptedOnes(scene), 51)
  assert.equal(counts.most, mostPasses)
})

test('a hub that starts does not ask for all of its fleet at once', async (t) => {
  const scene = hubScene(t)
  const stop = await scene.start()
  await joinMany(scene, 20)
  await scene.wait('5m')
  await stop()
  using counts = slowDown(scene)
  await scene.start()
  assert.equal(await acceptedOnes(scene), 20)
  await scene.wait('5m')
  assert.equal(counts.most, 2)
})

test('while AWS cannot be asked, the API server is asked for no more clusters than AWS is', async (t) => {
  const scene = hubScene(t)
  await scene.start()
  await joinMany(scene, 20)
  await scene.wait('10m')
  breakAws(scene)
  await scene.wait('30m')
  const reads = scene.kube.count('get')
  await scene.wait('10m')
  assert.ok(scene.kube.count('get') - reads <= 20)
})
