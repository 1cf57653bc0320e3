import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions } from '../fields.ts'

export const ManagedClusterSetBinding = customResource({
  group: 'cluster.open-cluster-management.io',
  kind: 'ManagedClusterSetBinding',
  plural: 'managedclustersetbindings',
  singular: 'managedclustersetbinding',
  shortNames: ['mclsetbinding', 'mclsetbindings'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1beta2',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                clusterSet: Type.Optional(
                  Type.String({ minLength: 1, description: 'The set. The binding must have its name.' }),
                ),
              },
              { description: 'What is bound.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              { conditions: Conditions('How the binding stands.') },
              { description: 'What is known of the binding.' },
            ),
          ),
        },
        {
          description:
            'Lets placements of its namespace choose from the clusters of a set. Creating one takes the right to create managedclustersets/bind for that set.',
        },
      ),
    },
  ],
})
export type ManagedClusterSetBinding = ObjectOf<typeof ManagedClusterSetBinding>
