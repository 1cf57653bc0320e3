import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Bytes, Int32, listMap } from '../fields.ts'
import { clusterArn, FeatureGates, group, hostName, NodePlacement, ResourceRequirement, Status } from './common.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))
const port = (description: string, byDefault: number) =>
  Type.Optional(Int32({ default: byDefault, maximum: 65_535, description }))

const identities = list('Whose clusters are let in without asking.')

const RegistrationDriver = Type.Object(
  {
    authType: Type.Enum(['csr', 'awsirsa', 'grpc'], {
      default: 'csr',
      description: 'A way to join. This version has csr and awsirsa.',
    }),
    csr: Type.Optional(Type.Object({ autoApprovedIdentities: identities }, { description: 'For csr.' })),
    awsirsa: Type.Optional(
      Type.Object(
        {
          hubClusterArn: Type.Optional(
            Type.String({ pattern: clusterArn, description: 'The EKS cluster of the hub. Needed with awsirsa.' }),
          ),
          autoApprovedIdentities: list(
            'Regular expressions; an EKS cluster whose whole ARN matches one is let in without asking.',
          ),
          tags: list('Tags of the roles and access entries that are made, as key=value.'),
        },
        { description: 'For awsirsa.' },
      ),
    ),
    grpc: Type.Optional(Type.Object({ autoApprovedIdentities: identities }, { description: 'For grpc.' })),
  },
  { description: 'A way to join.' },
)

const bindConfiguration = Type.Optional(
  Type.Object(
    {
      port: port('Of webhooks.', 9443),
      healthProbePort: port('Of probes.', 8000),
      metricsPort: port('Of metrics.', 8080),
      hostNetwork: Type.Optional(Type.Boolean({ description: 'On the network of the node.' })),
    },
    { description: 'Where it listens. Not acted on.' },
  ),
)
const webhook = Type.Optional(Type.Object({ bindConfiguration }, { description: 'A webhook. Not acted on.' }))
const hostedWebhook = Type.Optional(
  Type.Object(
    {
      address: Type.String({ pattern: hostName, description: 'How the hub reaches it.' }),
      port: port('Its port there.', 443),
      bindConfiguration,
    },
    { description: 'A webhook of a hosted hub. Not acted on.' },
  ),
)

const DeployOption = Type.Object(
  {
    mode: Type.Enum(['Default', 'Hosted'], {
      default: 'Default',
      description: 'Default: on the hub itself. Hosted is refused.',
    }),
    default: Type.Optional(
      Type.Object(
        {
          registrationWebhookConfiguration: webhook,
          workWebhookConfiguration: webhook,
          addonWebhookConfiguration: webhook,
        },
        { description: 'For the mode Default. Not acted on.' },
      ),
    ),
    hosted: Type.Optional(
      Type.Object(
        { registrationWebhookConfiguration: hostedWebhook, workWebhookConfiguration: hostedWebhook },
        { description: 'For the mode Hosted. Not acted on.' },
      ),
    ),
  },
  { default: { mode: 'Default' }, description: 'Where the hub runs.' },
)

const host = { host: text('Its name.'), caBundle: Type.Optional(Bytes({ description: 'Who vouches for it.' })) }
const endpoint = (protocol: string) =>
  Type.Optional(
    Type.Object(
      {
        type: Type.Enum(['hostname', 'loadBalancer', 'route'], {
          default: 'hostname',
          description: 'What leads to it.',
        }),
        hostname: Type.Optional(
          Type.Object(
            { ...host, host: Type.String({ description: 'Its name.' }) },
            { description: 'A name that leads to it.' },
          ),
        ),
        loadBalancer: Type.Optional(Type.Object(host, { description: 'A load balancer.' })),
        route: Type.Optional(Type.Object(host, { description: 'A route.' })),
      },
      { description: `An endpoint that speaks ${protocol}.` },
    ),
  )

const ServerConfiguration = Type.Object(
  {
    featureGates: FeatureGates('Gates of the server.'),
    imagePullSpec: text('Its image.'),
    endpointsExposure: Type.Optional(
      Type.Array(
        Type.Object(
          {
            protocol: Type.Enum(['grpc', 'https'], { default: 'grpc', description: 'What it speaks.' }),
            usage: text('What it is for.'),
            grpc: endpoint('gRPC'),
            https: endpoint('HTTPS'),
          },
          { description: 'An endpoint.' },
        ),
        { description: 'Where it is reached from outside.' },
      ),
    ),
  },
  { description: 'The gRPC server, which this version does not have. Not acted on.' },
)

const gatesOf = (whose: string) =>
  Type.Optional(
    Type.Object({ featureGates: FeatureGates(`Gates of ${whose}.`) }, { description: `${whose}. Not acted on.` }),
  )

// The images of the field are no default here: they know none of the flags of a Lanyard hub.
export const ClusterManager = customResource({
  group,
  kind: 'ClusterManager',
  plural: 'clustermanagers',
  singular: 'clustermanager',
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
                registrationImagePullSpec: text('The image of the hub; unset: that of the operator.'),
                workImagePullSpec: text('Of the work controllers. Not acted on.'),
                placementImagePullSpec: text('Of the placement controllers. Not acted on.'),
                addOnManagerImagePullSpec: text('Of the add-on manager, which is in the hub. Not acted on.'),
                nodePlacement: NodePlacement,
                resourceRequirement: ResourceRequirement,
                deployOption: Type.Optional(DeployOption),
                registrationConfiguration: Type.Optional(
                  Type.Object(
                    {
                      featureGates: FeatureGates('Gates of the hub.'),
                      autoApproveUsers: list('Older form of registrationDrivers[].csr.autoApprovedIdentities.'),
                      registrationDrivers: Type.Optional(
                        Type.Array(RegistrationDriver, {
                          ...listMap('authType'),
                          description: 'Ways to join; none: csr.',
                        }),
                      ),
                      importerConfiguration: Type.Optional(
                        Type.Object(
                          { renderers: list('What makes manifests of a cluster to import.') },
                          { description: 'How clusters are imported. Not acted on.' },
                        ),
                      ),
                    },
                    { description: 'How clusters join.' },
                  ),
                ),
                workConfiguration: Type.Optional(
                  Type.Object(
                    {
                      workDriver: Type.Optional(
                        Type.Enum(['kube', 'mqtt', 'grpc'], { default: 'kube', description: 'How works travel.' }),
                      ),
                      featureGates: FeatureGates('Gates of the work controllers.'),
                    },
                    { default: { workDriver: 'kube' }, description: 'The work controllers. Not acted on.' },
                  ),
                ),
                placementConfiguration: gatesOf('The placement controllers'),
                addOnManagerConfiguration: gatesOf('The add-on manager'),
                serverConfiguration: Type.Optional(ServerConfiguration),
              },
              { default: { deployOption: { mode: 'Default' } }, description: 'What is wanted.' },
            ),
          ),
          status: Status,
        },
        { description: 'The hub of a fleet: `lanyard operator` keeps it as this says.' },
      ),
    },
  ],
})
export type ClusterManager = ObjectOf<typeof ClusterManager>
export type ClusterManagerSpec = NonNullable<ClusterManager['spec']>
