import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RefusalName } from './index.ts'
import { refusals } from './index.ts'
import type { Provocation } from './testing/provocations-caller.ts'
import { callerProvocations } from './testing/provocations-caller.ts'
import { documentProvocations, otherDocuments } from './testing/provocations-documents.ts'
import { eksProvocations } from './testing/provocations-eks.ts'
import { iamProvocations } from './testing/provocations-iam.ts'
import { stsProvocations } from './testing/provocations-sts.ts'
import type { Scene } from './testing/scene.ts'
import { awsScene } from './testing/scene.ts'

/** One a row of the table: a row without one does not compile. */
const provocations: Record<RefusalName, Provocation> = {
  ...callerProvocations,
  ...iamProvocations,
  ...documentProvocations,
  ...stsProvocations,
  ...eksProvocations,
}

async function refusedBy(scene: Scene, name: RefusalName, provoke: Provocation): Promise<void> {
  const { code, json, status, jsonStatus, says } = refusals[name]
  const error = await provoke(scene).then(
    () => assert.fail('it was not refused'),
    (thrown) => thrown,
  )
  const call = scene.aws.calls.at(-1)
  const expected = call?.service === 'eks' ? (json ?? code) : code
  assert.ok(error.$metadata, `the SDK, not the test, has failed: ${error.stack}`)
  assert.ok([expected, `${expected}Exception`].includes(error.name), `${error.name}: ${error.message}`)
  assert.equal(error.$metadata.httpStatusCode, call?.service === 'eks' ? (jsonStatus ?? status) : status)
  assert.match(error.message, sentence(says))
  assert.equal(call?.code, expected)
}

const sentence = (says: string) =>
  new RegExp(`^${says.replace(/[\\^$.*+?()[\]|]/g, '\\$&').replace(/\{\w+\}/g, '.+')}$`)

for (const [name, provoke] of Object.entries(provocations) as [RefusalName, Provocation][])
  test(`${refusals[name].code} (${name}) when ${refusals[name].when}`, async (t) =>
    refusedBy(await awsScene(t, { rolesPerAccount: 4 }), name, provoke))

for (const [title, provoke] of Object.entries(otherDocuments))
  test(`${title} is refused`, async (t) => refusedBy(await awsScene(t), title.split(':')[0] as RefusalName, provoke))

test('nothing is changed by a call that is refused', async (t) => {
  const scene = await awsScene(t)
  await scene.createRole('r')
  const before = JSON.stringify(scene.hub.roles())
  for (const name of ['PRINCIPAL_INVALID', 'ENTRY_GROUP_RESERVED', 'SIGNATURE_WRONG'] as const)
    await assert.rejects(provocations[name](scene))
  assert.equal(JSON.stringify(scene.hub.roles()), before)
  assert.deepEqual(scene.cluster.accessEntries(), [])
})
