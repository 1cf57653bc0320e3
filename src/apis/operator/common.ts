/** What a Klusterlet and a ClusterManager have in common. */
import * as Type from 'typebox'
import { Conditions, Int64, listMap, MapOf, Quantity } from '../fields.ts'

export const group = 'operator.open-cluster-management.io'

/** The ARN of an EKS cluster. Wider than the field's, which knows one partition of AWS and no underscore in a name. */
export const clusterArn = '^arn:aws(-[a-z0-9]+)*:eks:([a-zA-Z0-9-]+):(\\d{12}):cluster/([a-zA-Z0-9_-]+)$'

export const hostName =
  '^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]*[a-zA-Z0-9])\\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\\-]*[A-Za-z0-9])$'

export const FeatureGates = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          feature: Type.String({ description: 'The name of the gate.' }),
          mode: Type.Optional(Type.Enum(['Enable', 'Disable'], { default: 'Disable', description: 'On or off.' })),
        },
        { description: 'A gate that differs from its default.' },
      ),
      { description },
    ),
  )

const text = (description: string) => Type.Optional(Type.String({ description }))

export const NodePlacement = Type.Optional(
  Type.Object(
    {
      nodeSelector: Type.Optional(MapOf(Type.String(), { description: 'Labels that its nodes must have.' })),
      tolerations: Type.Optional(
        Type.Array(
          Type.Object(
            {
              key: text('The taint; empty with the operator Exists: every taint.'),
              operator: text('Exists or Equal.'),
              value: text('The value of the taint, for Equal.'),
              effect: text('The effect of the taint; empty: any.'),
              tolerationSeconds: Type.Optional(Int64({ description: 'For how long, where the effect is NoExecute.' })),
            },
            { description: 'A taint that is put up with.' },
          ),
          { description: 'Taints of nodes that are put up with.' },
        ),
      ),
    },
    { description: 'Which nodes it may run on.' },
  ),
)

const quantities = (description: string) => Type.Optional(MapOf(Quantity(), { description }))

export const Resources = Type.Object(
  {
    requests: quantities('What is set aside for it.'),
    limits: quantities('What it may use at most.'),
    claims: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'Of the claim in the pod.' }),
            request: text('Which of its requests.'),
          },
          { description: 'A claim of the pod.' },
        ),
        { ...listMap('name'), description: 'Claims of the pod that are used.' },
      ),
    ),
  },
  { description: 'CPU, memory and the like of a container.' },
)

export const ResourceRequirement = Type.Optional(
  Type.Object(
    {
      type: Type.Optional(
        Type.Enum(['Default', 'BestEffort', 'ResourceRequirement'], {
          default: 'Default',
          description: 'Default: as Lanyard thinks right. BestEffort: none. ResourceRequirement: as given here.',
        }),
      ),
      resourceRequirements: Type.Optional(Resources),
    },
    { description: 'What is set aside for its containers.' },
  ),
)

const object = {
  group: Type.String({ description: 'Its API group.' }),
  version: Type.String({ description: 'Its version.' }),
  resource: Type.String({ description: 'Its resource, in the plural.' }),
  namespace: text('Its namespace, where it is in one.'),
  name: Type.String({ description: 'Its name.' }),
}

export const Status = Type.Optional(
  Type.Object(
    {
      observedGeneration: Type.Optional(Int64({ description: 'The generation that was last carried out.' })),
      conditions: Conditions('How it stands.'),
      generations: Type.Optional(
        Type.Array(
          Type.Object(
            { ...object, lastGeneration: Int64({ description: 'The generation it was last given.' }) },
            { description: 'A workload and the generation it was given.' },
          ),
          { description: 'Workloads, with the generation each was last given.' },
        ),
      ),
      relatedResources: Type.Optional(
        Type.Array(Type.Object(object, { description: 'An object that was made.' }), {
          description: 'What was made for it.',
        }),
      ),
    },
    { description: 'What is known of it.' },
  ),
)
