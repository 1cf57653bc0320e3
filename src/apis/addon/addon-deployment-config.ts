import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Bytes, listMap } from '../fields.ts'
import { NodePlacement, Resources } from '../operator/common.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

/** Both versions say the same. */
const schema = Type.Object(
  {
    spec: Type.Object(
      {
        agentInstallNamespace: Type.Optional(
          Type.String({
            default: 'open-cluster-management-agent-addon',
            maxLength: 63,
            pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$',
            description: 'Where the agent of the add-on is installed on the managed cluster.',
          }),
        ),
        customizedVariables: Type.Optional(
          Type.Array(
            Type.Object(
              {
                name: Type.String({ maxLength: 255, pattern: '^[a-zA-Z_][_a-zA-Z0-9]*$', description: 'Its name.' }),
                value: Type.Optional(Type.String({ maxLength: 1024, description: 'Its value.' })),
              },
              { description: 'A variable.' },
            ),
            { ...listMap('name'), description: 'Variables that the add-on understands.' },
          ),
        ),
        nodePlacement: NodePlacement,
        registries: Type.Optional(
          Type.Array(
            Type.Object(
              {
                source: text('The registry that images name; empty: any.'),
                mirror: Type.String({ description: 'Where they are pulled from instead.' }),
              },
              { description: 'A registry and its mirror.' },
            ),
            { description: 'Where images are pulled from.' },
          ),
        ),
        proxyConfig: Type.Optional(
          Type.Object(
            {
              httpProxy: text('For http.'),
              httpsProxy: text('For https.'),
              noProxy: text('What is reached without it, parted by commas.'),
              caBundle: Type.Optional(Bytes({ description: 'Who vouches for the proxy.' })),
            },
            { description: 'The proxy between the add-on and the world.' },
          ),
        ),
        resourceRequirements: Type.Optional(
          Type.Array(
            Type.Object(
              {
                containerID: Type.String({
                  pattern: '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$',
                  description: 'Kind, name and container, parted by colons; * for any.',
                }),
                resources: Resources,
              },
              { description: 'What some containers get.' },
            ),
            { ...listMap('containerID'), description: 'What is set aside for containers.' },
          ),
        ),
      },
      { description: 'How add-ons are deployed that refer to it.' },
    ),
  },
  { description: 'How the agent of an add-on is deployed.' },
)

export const AddOnDeploymentConfig = customResource({
  group: 'addon.open-cluster-management.io',
  kind: 'AddOnDeploymentConfig',
  plural: 'addondeploymentconfigs',
  singular: 'addondeploymentconfig',
  scope: 'Namespaced',
  versions: [
    { name: 'v1beta1', storage: true, schema },
    { name: 'v1alpha1', schema },
  ],
})
export type AddOnDeploymentConfig = ObjectOf<typeof AddOnDeploymentConfig>
