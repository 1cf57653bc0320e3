import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'

export const ClusterProperty = customResource({
  group: 'about.k8s.io',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  singular: 'clusterproperty',
  scope: 'Cluster',
  annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/3084' },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object(
            { value: Type.String({ minLength: 1, description: 'What is said under that name.' }) },
            { description: 'The property.' },
          ),
        },
        {
          description:
            'A fact about a cluster in the form that SIG Multicluster agreed on. The name of the object is the name of the fact. It goes before a ClusterClaim of the same name.',
        },
      ),
      columns: [
        { name: 'value', type: 'string', jsonPath: '.spec.value' },
        { name: 'age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type ClusterProperty = ObjectOf<typeof ClusterProperty>
