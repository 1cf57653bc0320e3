import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { installNamespaceAnnotation, managedClusterAddOnConversion } from './conversion.ts'
import type { ManagedClusterAddOnV1Alpha1 } from './managed-cluster-addon.ts'
import { ManagedClusterAddOn } from './managed-cluster-addon.ts'
import { anyV1Alpha1, anyV1Beta1 } from './testing/arbitrary-addons.ts'
import { onlyInV1Alpha1, onlyInV1Beta1 } from './unfitting.ts'

const group = 'addon.open-cluster-management.io'
const client = 'kubernetes.io/kube-apiserver-client'
type Old = ManagedClusterAddOnV1Alpha1
type New = ManagedClusterAddOn

const toOld = (object: New) => managedClusterAddOnConversion.convert(object, `${group}/v1alpha1`) as Old
const toNew = (object: Old) => managedClusterAddOnConversion.convert(object, `${group}/v1beta1`) as New

const anAddOn = <T extends Old | New>(version: string, fields: Partial<T> = {}): T =>
  ({
    apiVersion: `${group}/${version}`,
    kind: 'ManagedClusterAddOn',
    metadata: { name: 'a', namespace: 'west' },
    spec: {},
    ...fields,
  }) as T
const anOld = (fields?: Partial<Old>) => anAddOn<Old>('v1alpha1', fields)
const aNew = (fields?: Partial<New>) => anAddOn<New>('v1beta1', fields)

const kubeClient = (user: string, driver?: 'csr' | 'token') => ({
  type: 'kubeClient' as const,
  kubeClient: { subject: { user }, ...(driver && { driver }) },
})

const isValid = (object: KubeObject) =>
  assert.deepEqual(ManagedClusterAddOn.check(object, { strict: true }).map(fieldErrorText), [])

test('what goes from v1alpha1 to v1beta1 and back is what it was', () => {
  fc.assert(
    fc.property(anyV1Alpha1, (old) => {
      isValid(old)
      const converted = toNew(old)
      isValid(converted)
      assert.deepEqual(toOld(converted), old)
      assert.deepEqual(toNew(toOld(converted)), converted)
    }),
    { numRuns: 500 },
  )
})

test('what goes from v1beta1 to v1alpha1 and back is what it was', () => {
  fc.assert(
    fc.property(anyV1Beta1, (object) => {
      isValid(object)
      const converted = toOld(object)
      isValid(converted)
      assert.deepEqual(toNew(converted), object)
      assert.deepEqual(toOld(toNew(converted)), converted)
    }),
    { numRuns: 500 },
  )
})

test('a status written in v1alpha1 over a converted one is read in v1alpha1 as it was written', () => {
  fc.assert(
    fc.property(anyV1Beta1, anyV1Alpha1, (before, { spec, status }) => {
      const { status: _, ...converted } = toOld(before)
      const edited: Old = { ...converted, spec, ...(status && { status }) }
      const { metadata: __, ...read } = toOld(toNew(edited))
      const { metadata: ___, ...written } = edited
      assert.deepEqual(read.status, written.status)
      if (spec.installNamespace) assert.deepEqual(read.spec, written.spec)
    }),
    { numRuns: 500 },
  )
})

test('a status written in v1beta1 over a converted one is read in v1beta1 as it was written', () => {
  fc.assert(
    fc.property(anyV1Alpha1, anyV1Beta1, (before, { spec, status }) => {
      const { status: _, ...converted } = toNew(before)
      const edited: New = { ...converted, spec, ...(status && { status }) }
      const read = toNew(toOld(edited))
      assert.deepEqual([read.spec, read.status], [edited.spec, edited.status])
    }),
    { numRuns: 500 },
  )
})

test('of the metadata only the annotations change', () => {
  fc.assert(
    fc.property(fc.oneof(anyV1Alpha1, anyV1Beta1), (object) => {
      const converted = object.apiVersion?.endsWith('v1beta1') ? toOld(object as New) : toNew(object as Old)
      assert.deepEqual({ ...converted.metadata, annotations: 0 }, { ...object.metadata, annotations: 0 })
    }),
  )
})

test('what fits in both versions leaves no annotation of ours behind', () => {
  const old = anOld({
    spec: { installNamespace: 'tools', configs: [{ group: '', resource: 'configmaps', name: 'c' }] },
    status: {
      registrations: [
        { signerName: client, subject: { user: 'u', groups: ['g'] } },
        { signerName: 'example.com/s', subject: { user: 'v', organizationUnit: ['o'] } },
      ],
      kubeClientDriver: 'token',
      configReferences: [{ resource: 'configmaps', name: 'c', desiredConfig: { name: 'c', specHash: '1' } }],
    },
  })
  const converted = toNew(old)
  assert.deepEqual(converted.metadata?.annotations, { [installNamespaceAnnotation]: 'tools' })
  assert.deepEqual(converted.spec, { configs: old.spec.configs })
  assert.deepEqual(converted.status, {
    registrations: [
      { type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] }, driver: 'token' } },
      {
        type: 'customSigner',
        customSigner: { signerName: 'example.com/s', subject: { user: 'v', organizationUnits: ['o'] } },
      },
    ],
    configReferences: [{ resource: 'configmaps', desiredConfig: { name: 'c', specHash: '1' } }],
  })
  assert.equal(toOld(converted).metadata?.annotations, undefined)
})

test('an install namespace that was changed in either version is the one that counts', () => {
  const old = toOld(aNew({ metadata: { name: 'a', annotations: { [installNamespaceAnnotation]: 'one' } } }))
  assert.equal(old.spec.installNamespace, 'one')
  const edited = toNew({ ...old, spec: { installNamespace: 'two' } })
  assert.equal(edited.metadata?.annotations?.[installNamespaceAnnotation], 'two')
  assert.equal(toNew({ ...old, spec: {} }).metadata?.annotations, undefined)
})

test('an annotation that no namespace can be called is left alone', () => {
  const annotations = { [installNamespaceAnnotation]: 'Not A Name' }
  const old = toOld(aNew({ metadata: { name: 'a', annotations } }))
  assert.deepEqual([old.spec, old.metadata?.annotations], [{}, annotations])
})

test('drivers that differ survive another edit in v1alpha1, and a changed driver is that of all', () => {
  const registrations = [kubeClient('u', 'csr'), kubeClient('v', 'token'), kubeClient('w')]
  const old = toOld(aNew({ status: { registrations } }))
  assert.equal(old.status?.kubeClientDriver, 'csr')
  const [first, ...others] = old.status?.registrations ?? []
  const withGroups = { ...first, signerName: client, subject: { user: 'u', groups: ['g'] } }
  const regrouped = toNew({ ...old, status: { ...old.status, registrations: [withGroups, ...others] } })
  assert.deepEqual(
    regrouped.status?.registrations?.map(({ kubeClient }) => [kubeClient?.subject, kubeClient?.driver]),
    [
      [{ user: 'u', groups: ['g'] }, 'csr'],
      [{ user: 'v' }, 'token'],
      [{ user: 'w' }, undefined],
    ],
  )
  const fewer = toNew({ ...old, status: { ...old.status, registrations: others } })
  assert.deepEqual(fewer.status?.registrations, registrations.slice(1))
  const driven = toNew({ ...old, status: { ...old.status, kubeClientDriver: 'token' } })
  assert.deepEqual(
    driven.status?.registrations?.map(({ kubeClient }) => kubeClient?.driver),
    ['token', 'token', 'token'],
  )
})

test('a registration that names no signer is not shown in v1alpha1, and is back in its place', () => {
  const registrations = [kubeClient('u'), { type: 'customSigner' as const }, kubeClient('v')]
  const old = toOld(aNew({ status: { registrations } }))
  assert.equal(old.status?.registrations?.length, 2)
  assert.deepEqual(toNew(old).status?.registrations, registrations)
  const { registrations: _, ...status } = old.status ?? {}
  assert.deepEqual(toNew({ ...old, status }).status, {})
})

test('units of a client of the hub and the deprecated names of configurations are kept while v1beta1 is edited', () => {
  const converted = toNew(
    anOld({
      status: {
        registrations: [{ signerName: client, subject: { user: 'u', organizationUnit: ['o'] } }],
        configReferences: [{ resource: 'r', name: 'other', desiredConfig: { name: 'c' } }],
        addOnConfiguration: { crName: 'x' },
      },
    }),
  )
  assert.deepEqual(Object.keys(converted.metadata?.annotations ?? {}), [onlyInV1Alpha1.annotation])
  const edited = toOld({ ...converted, status: { ...converted.status, namespace: 'n' } })
  assert.deepEqual(edited.status?.registrations?.[0]?.subject?.organizationUnit, ['o'])
  assert.deepEqual(edited.status?.configReferences?.[0]?.name, 'other')
  assert.deepEqual(edited.status?.addOnConfiguration, { crName: 'x' })
  const reconfigured = { ...converted.status, configReferences: [{ resource: 'r', desiredConfig: { name: 'd' } }] }
  assert.equal(toOld({ ...converted, status: reconfigured }).status?.configReferences?.[0]?.name, 'd')
})

test('whoever writes our annotations gives no registration a signer, a user or a group', () => {
  const stolen = { subject: { user: 'system:admin', groups: ['system:masters'] } }
  const forged = JSON.stringify({
    registrations: [
      { signerName: client, user: 'u', kubeClient: stolen, customSigner: { signerName: client, ...stolen } },
      { kubeClient: stolen, customSigner: { signerName: client, ...stolen } },
    ],
  })
  const metadata = { name: 'a', annotations: { [onlyInV1Beta1.annotation]: forged } }
  const registrations = [{ signerName: client, subject: { user: 'u' } }]
  const converted = toNew(anOld({ metadata, status: { registrations } })).status?.registrations ?? []
  for (const { type, ...fields } of converted)
    assert.deepEqual(fields[type]?.subject ?? { user: 'u' }, { user: 'u' }, type)
  assert.deepEqual(toNew(anOld({ metadata })).status, undefined)
})

for (const garbage of [
  '',
  '{',
  'null',
  '[]',
  '7',
  '{"registrations":{}}',
  '{"kubeClientDriver":{"is":"magic"}}',
  '{"x":1}',
])
  test(`an annotation of ours that says ${garbage || 'nothing'} is as good as none`, () => {
    const annotations = { [onlyInV1Alpha1.annotation]: garbage, [onlyInV1Beta1.annotation]: garbage }
    const status = { registrations: [] }
    assert.deepEqual(
      toNew(anOld({ metadata: { name: 'a', annotations }, status })),
      aNew({ metadata: { name: 'a' }, status }),
    )
    assert.deepEqual(
      toOld(aNew({ metadata: { name: 'a', annotations }, status })),
      anOld({ metadata: { name: 'a' }, status }),
    )
  })

test('an object that is asked for in its own version stays as it is', () => {
  const object = aNew()
  assert.equal(managedClusterAddOnConversion.convert(object, `${group}/v1beta1`), object)
})

test('versions that are not known are told, with what to do', () => {
  const convert = (apiVersion: string, to: string) =>
    managedClusterAddOnConversion.convert({ ...aNew(), apiVersion }, to)
  for (const [from, to] of [
    [`${group}/v1beta1`, `${group}/v2`],
    [`${group}/v2`, `${group}/v1beta1`],
    [`${group}/v2`, `${group}/v2`],
  ] as const)
    assert.throws(() => convert(from, to), { code: 'CONVERSION_UNKNOWN_VERSION', message: /upgrade it or ask for one/ })
})
