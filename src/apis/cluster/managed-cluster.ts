import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Bytes, Conditions, Int32, listMap, MapOf, namespaceName, Quantity, qualifiedName, Time } from '../fields.ts'

const ClientConfig = Type.Object(
  {
    url: Type.String({ description: 'https URL of an API server of the cluster.' }),
    caBundle: Type.Optional(Bytes({ description: 'Who vouches for it, PEM. Absent: the system.' })),
  },
  { description: 'A way to reach the API server of the managed cluster.' },
)

const Taint = Type.Object(
  {
    key: Type.String({ maxLength: 316, pattern: qualifiedName, description: 'What the taint is about.' }),
    value: Type.Optional(Type.String({ maxLength: 1024, description: 'Its value, where it has one.' })),
    effect: Type.Enum(['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'], {
      description: 'What placements do about a cluster that they do not tolerate.',
    }),
    timeAdded: Type.Optional(
      Type.Union([Time(), Type.Null()], { description: 'When the hub saw it first. Only the hub sets it.' }),
    ),
  },
  { description: 'Keeps placements that do not tolerate it away from the cluster.' },
)

const Claim = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 253, description: 'The name of the claim.' })),
    value: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'What it says.' })),
  },
  { description: 'A ClusterClaim or ClusterProperty of the managed cluster.' },
)

const ManagedNamespace = Type.Object(
  {
    name: Type.String({ maxLength: 63, pattern: namespaceName, description: 'Its name.' }),
    clusterSet: Type.String({ description: 'The set that asks for it.' }),
    conditions: Conditions('How it stands on the managed cluster.'),
  },
  { description: 'A namespace that a set wants on its clusters.' },
)

const conditionOf = (type: string) => `.status.conditions[?(@.type=="${type}")].status`

export const ManagedCluster = customResource({
  group: 'cluster.open-cluster-management.io',
  kind: 'ManagedCluster',
  plural: 'managedclusters',
  singular: 'managedcluster',
  shortNames: ['mcl', 'mcls'],
  scope: 'Cluster',
  versions: [
    {
      name: 'v1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                hubAcceptsClient: Type.Optional(
                  Type.Boolean({
                    description:
                      'Whether the hub lets the agent of the cluster in. Changing it takes the right to update managedclusters/accept; the agent of the cluster itself may set it to false without.',
                  }),
                ),
                leaseDurationSeconds: Type.Optional(
                  Int32({ default: 60, description: 'How often the agent renews its lease. 0 means 60.' }),
                ),
                managedClusterClientConfigs: Type.Optional(
                  Type.Array(ClientConfig, { description: 'How the cluster is reached from outside.' }),
                ),
                taints: Type.Optional(Type.Array(Taint, { description: 'What keeps placements away.' })),
              },
              { description: 'What the hub wants of the cluster.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              {
                conditions: Conditions('How the cluster stands.'),
                capacity: Type.Optional(MapOf(Quantity(), { description: 'The sum over all nodes.' })),
                allocatable: Type.Optional(MapOf(Quantity(), { description: 'The same, of nodes that take pods.' })),
                version: Type.Optional(
                  Type.Object(
                    { kubernetes: Type.Optional(Type.String({ description: 'Of the API server.' })) },
                    { description: 'What the cluster runs.' },
                  ),
                ),
                clusterClaims: Type.Optional(Type.Array(Claim, { description: 'What the cluster says of itself.' })),
                managedNamespaces: Type.Optional(
                  Type.Array(ManagedNamespace, {
                    ...listMap('clusterSet', 'name'),
                    description: 'Namespaces that its sets want on it.',
                  }),
                ),
              },
              { description: 'What is known of the cluster.' },
            ),
          ),
        },
        {
          description:
            'A cluster that has joined the hub, or asks to. Its agent creates it, an administrator of the hub accepts it.',
        },
      ),
      columns: [
        { name: 'Hub Accepted', type: 'boolean', jsonPath: '.spec.hubAcceptsClient' },
        { name: 'Managed Cluster URLs', type: 'string', jsonPath: '.spec.managedClusterClientConfigs[*].url' },
        { name: 'Joined', type: 'string', jsonPath: conditionOf('ManagedClusterJoined') },
        { name: 'Available', type: 'string', jsonPath: conditionOf('ManagedClusterConditionAvailable') },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type ManagedCluster = ObjectOf<typeof ManagedCluster>
