import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertReview } from '../conversion.ts'
import { clusterManagementAddOnConversion } from './cluster-management-addon-conversion.ts'

const { convert } = clusterManagementAddOnConversion
const v1alpha1 = 'addon.open-cluster-management.io/v1alpha1'
const v1beta1 = 'addon.open-cluster-management.io/v1beta1'
const object = (apiVersion: string, more: object) => ({
  apiVersion,
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'hello', annotations: { of: 'somebody' } },
  ...more,
})

const reference = { group: 'g', resource: 'r', desiredConfig: { name: 'n', specHash: 'h' } }

test('kinds of configuration with a default become defaults, and all comes back', () => {
  const old = object(v1alpha1, {
    spec: {
      addOnMeta: { displayName: 'Hello' },
      installStrategy: { type: 'Manual' },
      addOnConfiguration: { crdName: 'c' },
      supportedConfigs: [
        { group: 'a', resource: 'none' },
        { group: 'g', resource: 'r', defaultConfig: { name: 'n', namespace: 's' } },
        { resource: 'core' },
      ],
    },
    status: { defaultconfigReferences: [reference] },
  })
  const made = convert(old, v1beta1) as unknown as Record<string, never>
  assert.deepEqual(made['spec'], {
    addOnMeta: { displayName: 'Hello' },
    installStrategy: { type: 'Manual' },
    defaultConfigs: [{ group: 'g', resource: 'r', name: 'n', namespace: 's' }],
  })
  assert.deepEqual(made['status'], { defaultConfigReferences: [reference] })
  assert.deepEqual(convert(made, v1alpha1), old)
})

test('what v1beta1 says comes back from v1alpha1', () => {
  for (const spec of [{}, { defaultConfigs: [] }, { defaultConfigs: [{ resource: 'r', name: 'n' }] }]) {
    const given = object(v1beta1, { spec, status: { defaultConfigReferences: [reference] } })
    assert.deepEqual(convert(convert(given, v1alpha1), v1beta1), given)
  }
})

test('a default that was added in v1beta1 wins over the kind that had none', () => {
  const old = object(v1alpha1, { spec: { supportedConfigs: [{ group: 'g', resource: 'r' }] } })
  const made = convert(old, v1beta1) as ReturnType<typeof object> & { spec: object }
  const edited = { ...made, spec: { defaultConfigs: [{ group: 'g', resource: 'r', name: 'n' }] } }
  assert.deepEqual((convert(edited, v1alpha1) as unknown as { spec: object }).spec, {
    supportedConfigs: [{ group: 'g', resource: 'r', defaultConfig: { name: 'n' } }],
  })
})

test('an annotation that is none of ours is as good as nothing', () => {
  for (const text of ['no json', '{"withoutDefault":[{"at":-1,"resource":"r"}]}', 'null']) {
    const given = {
      ...object(v1beta1, { spec: {} }),
      metadata: { annotations: { 'lanyard.io/only-in-v1alpha1': text } },
    }
    assert.deepEqual((convert(given, v1alpha1) as unknown as { spec: object }).spec, {})
  }
})

test('it is found by the webhook', async () => {
  const request = { uid: 'u', desiredAPIVersion: v1beta1, objects: [object(v1alpha1, { spec: {} })] }
  const { response } = await convertReview({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request })
  assert.equal(response.result.status, 'Success')
})
