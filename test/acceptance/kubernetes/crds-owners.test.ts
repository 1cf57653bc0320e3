/** Who owns the fields of a custom object whose versions do not have the same ones. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { define } from '../../support/custom-resources.ts'
import { kubeClient } from '../../support/kube-client.ts'

const schemaWith = (name: string) => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { both: { type: 'string' }, [name]: { type: 'string' } } },
  },
})

describe('owners of custom resources', needsControlPlane, () => {
  test('E14o: what another managed version has no place for makes the server forget all owners', async (t) => {
    const kube = kubeClient(t, (await startControlPlane(t)).connection())
    const versions = [
      { name: 'v1', schema: schemaWith('old') },
      { name: 'v2', schema: schemaWith('fresh') },
    ]
    const widgets = await define(t, kube, { scope: 'Cluster', versions })
    const [v1, v2] = [kube.of(widgets.of('v1')), kube.of(widgets.of('v2'))]
    const metadata = { name: 'a' }
    await v1.create({ apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata, spec: { both: 'x' } })
    const fitting = await v2.patch('a', { type: 'merge', body: { spec: { both: 'y' } } })
    assert.equal(fitting.metadata.managedFields?.length, 2)
    const misfitting = await v1.patch('a', { type: 'merge', body: { spec: { old: 'x' } } })
    assert.equal(misfitting.metadata.managedFields, undefined)
  })

  test('E14p: of a whole number the whole part of a limit is asked, as the real server does', async (t) => {
    const kube = kubeClient(t, (await startControlPlane(t)).connection())
    const spec = { type: 'object', properties: { ratio: { type: 'number', multipleOf: 0.5 } } }
    const schema = { type: 'object', properties: { spec } }
    const widgets = await define(t, kube, { scope: 'Cluster', versions: [{ name: 'v1', schema }] })
    const object = { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name: 'a' } }
    await assert.rejects(
      kube.of(widgets.of()).create({ ...object, spec: { ratio: 1 } } as never),
      /factor MultipleOf declared for spec\.ratio must be positive: 0/,
    )
    await kube.of(widgets.of()).create({ ...object, spec: { ratio: 1.5 } } as never)
  })
})
