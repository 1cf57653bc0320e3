/** Patterns that would take too much, wherever somebody may write one. The real server takes larger ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aDefinition, define } from '../../../test/support/custom-resources.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { KubeFailure } from '../../kube/failures.ts'
import { customResourceDefinitions, validatingWebhookConfigurations } from '../../kube/kinds.ts'
import { startEmbedded } from '../start.ts'

async function start(t: TestScope) {
  const plane = await startEmbedded({
    ...{ dir: tempDir(t), clock: new FakeClock(), random: systemRandom, log: silentLog },
  })
  teardown(t, () => plane.close())
  return plane.kube
}

const refusal = (call: Promise<unknown>): Promise<string[]> =>
  call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => {
      assert.ok(error instanceof KubeFailure && error.code === 422, String(error))
      return (error.details?.causes ?? []).map(({ field, message = '' }) => `${field}: ${message.slice(0, 200)}`)
    },
  )

/** Of so many thousand states. */
const pattern = (thousands: number) => 'a{1000}'.repeat(thousands)

test('F14: a pattern of more than 50,000 states is refused where it is written, with its place', async (t) => {
  const kube = await start(t)
  const definitions = kube.of(customResourceDefinitions)
  const define = (spec: object) => definitions.create(aDefinition({ versions: [{ spec }] }), { dryRun: true })
  const place = 'spec.validation.openAPIV3Schema.properties[spec]'

  await define({ type: 'object', properties: { name: { type: 'string', pattern: pattern(49) } } })
  const [inSchema, ...more] = await refusal(
    define({ type: 'object', properties: { name: { type: 'string', pattern: pattern(50) } } }),
  )
  assert.equal(more.length, 0)
  assert.ok(inSchema?.startsWith(`${place}.properties[name].pattern: Invalid value: "a{1000}`), inSchema)

  const rule = (size: number) => `self.matches('${pattern(size)}')`
  const ruled = (size: number) => ({
    type: 'object',
    properties: { name: { type: 'string', maxLength: 10, 'x-kubernetes-validations': [{ rule: rule(size) }] } },
  })
  await define(ruled(49))
  const [inRule] = await refusal(define(ruled(50)))
  assert.ok(inRule?.startsWith(`${place}.properties[name].x-kubernetes-validations[0].rule: Invalid value: `), inRule)

  const hooked = (size: number) =>
    kube.of(validatingWebhookConfigurations).create(
      {
        metadata: { name: 'hook' },
        webhooks: [
          {
            name: 'hook.example.com',
            clientConfig: { url: 'https://127.0.0.1:1/' },
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            matchConditions: [{ name: 'named', expression: `object.metadata.name.matches('${pattern(size)}')` }],
          },
        ],
      } as never,
      { dryRun: true },
    )
  await hooked(49)
  const [inCondition] = await refusal(hooked(50))
  assert.ok(inCondition?.startsWith('webhooks[0].matchConditions[0].expression: Invalid value: '), inCondition)
})

test('F14e: patterns in rules count as what they take, those that an object brings too', async (t) => {
  const kube = await start(t)
  const text = { type: 'string', maxLength: 100_000 }
  const probes = await define(t, kube, {
    versions: [
      {
        spec: {
          type: 'object',
          properties: { text, pattern: { type: 'string', maxLength: 20 } },
          'x-kubernetes-validations': [{ rule: '!self.text.matches(self.pattern)', message: 'it matches' }],
        },
      },
    ],
  })
  const create = (spec: object) =>
    kube.of(probes.of(), 'default').create({ metadata: { name: 'one' }, spec } as never, { dryRun: true })
  await create({ text: 'a'.repeat(1_000), pattern: '(a?){1000}b' })
  const [why] = await refusal(create({ text: 'a'.repeat(100_000), pattern: '(a?){1000}b' }))
  assert.match(why ?? '', /^spec: Invalid value: .*running out of cost budget/)
})
