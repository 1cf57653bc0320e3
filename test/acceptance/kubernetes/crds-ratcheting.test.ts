/** A schema may become stricter: what is in objects already may stay as it is, and what is changed must be valid. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import facts from '../../support/crd-facts/ratcheting.json' with { type: 'json' }
import type { Custom, Defined } from '../../support/custom-resources.ts'
import { define, redefine, refusalOf, unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'

type Properties = Record<string, object>

const schemaOf = (properties: Properties) => ({ type: 'object', properties })
const subresources = { status: {} }

async function start(t: TestContext, loose: Properties) {
  const kube = kubeClient(t, (await startControlPlane(t)).connection())
  const widgets = await define(t, kube, { scope: 'Cluster', versions: [{ schema: schemaOf(loose), subresources }] })
  return { kube, widgets }
}

const aWidget = ({ group }: Defined, name: string): Custom => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
})

const merge = (body: object) => ({ type: 'merge', body }) as const

async function store(kube: Kube, widgets: Defined, name: string, { status, ...fields }: Properties): Promise<void> {
  const all = kube.of(widgets.of())
  await all.create({ ...aWidget(widgets, name), ...fields })
  if (status) await all.patch(name, merge({ status }), { subresource: 'status' })
}

/** Puts another schema in force, and waits until it refuses what it must: an object with this spec. */
async function tighten(kube: Kube, widgets: Defined, strict: Properties, wrong: Record<string, unknown>) {
  await redefine(kube, widgets.name, ({ versions = [] }) => {
    for (const version of versions) version.schema = { openAPIV3Schema: schemaOf(strict) } as never
  })
  const probe = { ...aWidget(widgets, 'probe'), spec: wrong }
  await eventually('the schema is in force', async () => {
    const errors = await unlessUnready(refusalOf(kube.of(widgets.of()).create(probe, { dryRun: true })))
    return errors?.some((error) => error.startsWith('spec.')) ? true : undefined
  })
}

describe('ratcheting of custom resources', needsControlPlane, () => {
  test('E14t: what an update does not change may violate a stricter schema, whatever it is in', async (t) => {
    const { kube, widgets } = await start(t, facts.loose)
    for (const [name, object] of Object.entries(facts.objects)) await store(kube, widgets, name, object)
    await tighten(kube, widgets, facts.strict, { n: 1 })
    for (const { object = 'a', subresource, patch, errors } of facts.cases as readonly RatchetingCase[]) {
      const change = kube
        .of(widgets.of())
        .patch(object, merge(patch), { dryRun: true, ...(subresource !== undefined && { subresource }) })
      assert.deepEqual(await refusalOf(change), errors, JSON.stringify({ object, subresource, patch }))
    }
  })
})

interface RatchetingCase {
  readonly object?: string
  readonly subresource?: string
  readonly patch: object
  readonly errors: readonly string[]
}
