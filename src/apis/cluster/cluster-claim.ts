import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'

export const ClusterClaim = customResource({
  group: 'cluster.open-cluster-management.io',
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  singular: 'clusterclaim',
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                value: Type.Optional(
                  Type.String({ minLength: 1, maxLength: 1024, description: 'What is claimed under that name.' }),
                ),
              },
              { description: 'The claim.' },
            ),
          ),
        },
        {
          description:
            'A fact that a managed cluster states about itself, such as its id or platform. The name of the object is the name of the fact; the agent copies it to the status of the ManagedCluster.',
        },
      ),
    },
  ],
})
export type ClusterClaim = ObjectOf<typeof ClusterClaim>
