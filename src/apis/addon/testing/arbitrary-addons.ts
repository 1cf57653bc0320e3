/** Any valid ManagedClusterAddOn. Few names, so that several items share one. */
import fc from 'fast-check'
import type { Condition } from '../../../core/conditions.ts'
import { installNamespaceAnnotation } from '../conversion.ts'
import type { ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1 } from '../managed-cluster-addon.ts'
import { kubeClientSigner } from '../registrations.ts'

type Fields<T> = { [Key in keyof T]-?: fc.Arbitrary<Exclude<T[Key], undefined>> }
/** An object of these fields, of which only those named are always there. */
const some = <T extends object>(fields: Fields<T>, ...requiredKeys: (keyof T & string)[]): fc.Arbitrary<T> =>
  fc.record(fields as never, {
    requiredKeys: requiredKeys as never[],
    noNullPrototype: true,
  }) as unknown as fc.Arbitrary<T>

const few = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 4 })
const name = fc.constantFrom('a', 'b')
const groups = few(name)
const driver = fc.constantFrom('csr' as const, 'token' as const)
const signerName = fc.constantFrom(kubeClientSigner, 'example.com/one', 'example.com/two')
const generation = fc.nat()

const kind = { group: fc.constantFrom('', 'x.io'), resource: name }
const progress = {
  desiredConfig: some({ name, namespace: name, specHash: name }, 'name'),
  lastAppliedConfig: some({ name, namespace: name, specHash: name }, 'name'),
  lastObservedGeneration: generation,
}
const sameStatus = {
  conditions: fc.constant<Condition[]>([
    { type: 'Available', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]),
  namespace: name,
  healthCheck: some({ mode: fc.constantFrom('Lease' as const, 'Customized' as const) }),
  supportedConfigs: fc.constant<{ group: string; resource: string }[]>([{ group: '', resource: 'configmaps' }]),
  relatedObjects: few(some({ ...kind, name, namespace: name }, 'group', 'resource', 'name')),
  addOnMeta: some({ displayName: name, description: name }),
}
const configs = few(some({ ...kind, name, namespace: name }, 'resource', 'name'))

const metadata = fc
  .dictionary(fc.constantFrom('x.io/a', installNamespaceAnnotation), fc.constantFrom('a', 'b', '', 'Not A Name'), {
    noNullPrototype: true,
  })
  .map((annotations) => ({
    name: 'a',
    namespace: 'west',
    uid: '1',
    resourceVersion: '7',
    generation: 2,
    labels: { l: 'x' },
    finalizers: ['x.io/f'],
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }))

const frame = <V extends string>(version: V) => ({
  apiVersion: fc.constant(`addon.open-cluster-management.io/${version}`),
  kind: fc.constant('ManagedClusterAddOn'),
  metadata,
})

export const anyV1Alpha1: fc.Arbitrary<ManagedClusterAddOnV1Alpha1> = some(
  {
    ...frame('v1alpha1'),
    spec: some({ installNamespace: name, configs }),
    status: some({
      ...sameStatus,
      registrations: few(
        some({ signerName, subject: some({ user: name, groups, organizationUnit: groups }) }, 'signerName'),
      ),
      kubeClientDriver: driver,
      configReferences: few(some({ ...kind, name, namespace: name, ...progress }, 'resource', 'name')),
      addOnConfiguration: some({ crdName: name, crName: name, lastObservedGeneration: generation }),
    }),
  },
  'apiVersion',
  'kind',
  'metadata',
  'spec',
)

export const anyV1Beta1: fc.Arbitrary<ManagedClusterAddOn> = some(
  {
    ...frame('v1beta1'),
    spec: some({ configs }),
    status: some({
      ...sameStatus,
      registrations: few(
        some(
          {
            type: fc.constantFrom('kubeClient' as const, 'customSigner' as const),
            kubeClient: some({ subject: some({ user: name, groups }), driver }),
            customSigner: some(
              { signerName, subject: some({ user: name, groups, organizationUnits: groups }) },
              'signerName',
            ),
          },
          'type',
        ),
      ),
      configReferences: few(some({ ...kind, ...progress }, 'resource')),
    }),
  },
  'apiVersion',
  'kind',
  'metadata',
  'spec',
)
