import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, LabelSelector, listMap, namespaceName } from '../fields.ts'

const bySetLabel = 'ExclusiveClusterSetLabel'

const ClusterSelector = Type.Object(
  {
    selectorType: Type.Enum([bySetLabel, 'LabelSelector'], {
      default: bySetLabel,
      description:
        'ExclusiveClusterSetLabel: clusters whose label cluster.open-cluster-management.io/clusterset names this set, so none is in two of them. LabelSelector: clusters that labelSelector selects.',
    }),
    labelSelector: Type.Optional(
      LabelSelector({ description: 'Used with the type LabelSelector only. Empty selects every cluster.' }),
    ),
  },
  { default: { selectorType: bySetLabel }, description: 'Which clusters are in the set.' },
)

const ManagedNamespace = Type.Object(
  { name: Type.String({ maxLength: 63, pattern: namespaceName, description: 'Its name.' }) },
  { description: 'A namespace on every cluster of the set.' },
)

export const ManagedClusterSet = customResource({
  group: 'cluster.open-cluster-management.io',
  kind: 'ManagedClusterSet',
  plural: 'managedclustersets',
  singular: 'managedclusterset',
  shortNames: ['mclset', 'mclsets'],
  scope: 'Cluster',
  versions: [
    {
      name: 'v1beta2',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                clusterSelector: Type.Optional(ClusterSelector),
                managedNamespaces: Type.Optional(
                  Type.Array(ManagedNamespace, {
                    ...listMap('name'),
                    description: 'Namespaces that the clusters of the set are to have.',
                  }),
                ),
              },
              { default: { clusterSelector: { selectorType: bySetLabel } }, description: 'What the set is.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              { conditions: Conditions('How the set stands.') },
              { description: 'What is known of the set.' },
            ),
          ),
        },
        {
          description:
            'Clusters that are granted, bound and placed on together. A cluster may only be put in a set by those who have the right to create managedclustersets/join for it.',
        },
      ),
      columns: [
        { name: 'Empty', type: 'string', jsonPath: '.status.conditions[?(@.type=="ClusterSetEmpty")].status' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type ManagedClusterSet = ObjectOf<typeof ManagedClusterSet>
