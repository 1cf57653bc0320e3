import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int64, listMap, namespaceName } from '../fields.ts'
import { AddOnMeta, configAt, configKind, configName } from './common.ts'

const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const Config = Type.Object({ ...configKind, ...configName }, { description: 'A configuration of the add-on.' })

const configProgress = {
  desiredConfig: configAt('The configuration that the add-on is to have.'),
  lastAppliedConfig: configAt('The configuration that it was last given.'),
  lastObservedGeneration: Type.Optional(Int64({ description: 'The generation that was last looked at.' })),
}

const signerName = Type.String({
  minLength: 5,
  maxLength: 571,
  pattern: '^([a-z0-9][a-z0-9-]*[a-z0-9]\\.)+[a-z]+\\/[a-z0-9-\\.]+$',
  description: 'Who signs, as certificate signing requests name it.',
})
const user = Type.Optional(Type.String({ description: 'The user.' }))
const groups = texts('The groups of the user.')

const OldRegistration = Type.Object(
  {
    signerName,
    subject: Type.Optional(
      Type.Object(
        { user, groups, organizationUnit: texts('Units that the certificate names.') },
        { description: 'Who the add-on is to its signer.' },
      ),
    ),
  },
  { description: 'A credential that the add-on needs.' },
)

export const Driver = Type.Enum(['csr', 'token'], {
  description: 'What it is made of: a client certificate, or a token of a service account.',
})

export const CustomSigner = Type.Object(
  {
    signerName,
    subject: Type.Optional(
      Type.Object(
        { user, groups, organizationUnits: texts('Units that the certificate names.') },
        { description: 'Who the add-on is to its signer.' },
      ),
    ),
  },
  { description: 'For the type customSigner: the signer and what it certifies.' },
)

export const KubeClient = Type.Object(
  {
    subject: Type.Optional(Type.Object({ user, groups }, { description: 'Who the add-on is to the hub.' })),
    driver: Type.Optional(Driver),
  },
  { description: 'For the type kubeClient: who the add-on is to the API server of the hub, and how that is shown.' },
)

const Registration = Type.Object(
  {
    type: Type.Enum(['kubeClient', 'customSigner'], { description: 'Where the credential is good.' }),
    kubeClient: Type.Optional(KubeClient),
    customSigner: Type.Optional(CustomSigner),
  },
  { description: 'A credential that the add-on needs.' },
)

const configs = Type.Optional(Type.Array(Config, { description: 'Its configurations, before any defaults.' }))

/** What the status says in both versions. */
const commonStatus = {
  conditions: Conditions('How the add-on stands.'),
  namespace: Type.Optional(Type.String({ description: 'Where it is installed on the managed cluster.' })),
  healthCheck: Type.Optional(
    Type.Object(
      {
        mode: Type.Optional(
          Type.Enum(['Lease', 'Customized'], {
            default: 'Lease',
            description: 'Lease: by the lease that its agent renews. Customized: whoever manages it says so.',
          }),
        ),
      },
      { description: 'How its health is found out.' },
    ),
  ),
  supportedConfigs: Type.Optional(
    Type.Array(Type.Object(configKind, { description: 'A kind of configuration.' }), {
      ...listMap('group', 'resource'),
      description: 'The kinds of configuration that it takes.',
    }),
  ),
  relatedObjects: Type.Optional(
    Type.Array(
      Type.Object(
        {
          group: Type.String({ description: 'Its API group.' }),
          resource: Type.String({ description: 'Its resource, in the plural.' }),
          name: Type.String({ description: 'Its name.' }),
          namespace: Type.Optional(Type.String({ description: 'Its namespace, where it is in one.' })),
        },
        { description: 'An object that belongs to the add-on.' },
      ),
      { description: 'What else to look at when something is wrong.' },
    ),
  ),
  addOnMeta: Type.Optional(AddOnMeta),
}

export const AddOnConfiguration = Type.Object(
  {
    crdName: Type.Optional(Type.String({ description: 'The custom resource definition of the configuration.' })),
    crName: Type.Optional(Type.String({ description: 'The configuration.' })),
    lastObservedGeneration: Type.Optional(Int64({ description: 'The generation that was last looked at.' })),
  },
  { description: 'Of old: where the configuration is. Use configReferences.' },
)

const conditionOf = (type: string) => `.status.conditions[?(@.type=="${type}")].status`
const columns = [
  { name: 'Available', type: 'string', jsonPath: conditionOf('Available') },
  { name: 'Degraded', type: 'string', jsonPath: conditionOf('Degraded') },
  { name: 'Progressing', type: 'string', jsonPath: conditionOf('Progressing') },
] as const

const description = 'An add-on on the cluster of its namespace. The name of the object is that of the add-on.'
const specIs = 'What is wanted of the add-on.'
const statusIs = 'What is known of the add-on.'

export const ManagedClusterAddOn = customResource({
  group: 'addon.open-cluster-management.io',
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  singular: 'managedclusteraddon',
  shortNames: ['mca', 'mcas'],
  scope: 'Namespaced',
  conversion: { webhookPath: '/convert' },
  versions: [
    {
      name: 'v1beta1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object({ configs }, { description: specIs }),
          status: Type.Optional(
            Type.Object(
              {
                ...commonStatus,
                registrations: Type.Optional(
                  Type.Array(Registration, { description: 'Credentials that its agent gets for it.' }),
                ),
                configReferences: Type.Optional(
                  Type.Array(
                    Type.Object({ ...configKind, ...configProgress }, { description: 'A configuration in use.' }),
                    { description: 'Configurations in use, defaults included.' },
                  ),
                ),
              },
              { description: statusIs },
            ),
          ),
        },
        { description },
      ),
      columns,
    },
    {
      name: 'v1alpha1',
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              installNamespace: Type.Optional(
                Type.String({
                  default: 'open-cluster-management-agent-addon',
                  maxLength: 63,
                  pattern: namespaceName,
                  description: 'Where it is to be installed on the managed cluster.',
                }),
              ),
              configs,
            },
            { description: specIs },
          ),
          status: Type.Optional(
            Type.Object(
              {
                ...commonStatus,
                registrations: Type.Optional(
                  Type.Array(OldRegistration, { description: 'Credentials that its agent gets for it.' }),
                ),
                kubeClientDriver: Type.Optional(Driver),
                configReferences: Type.Optional(
                  Type.Array(
                    Type.Object(
                      { ...configKind, ...configName, ...configProgress },
                      { description: 'A configuration in use.' },
                    ),
                    { description: 'Configurations in use, defaults included.' },
                  ),
                ),
                addOnConfiguration: Type.Optional(AddOnConfiguration),
              },
              { description: statusIs },
            ),
          ),
        },
        { description },
      ),
      columns,
    },
  ],
})
export type ManagedClusterAddOn = ObjectOf<typeof ManagedClusterAddOn>
/** The form of old, which is converted from and to the stored one. */
export type ManagedClusterAddOnV1Alpha1 = ObjectOf<typeof ManagedClusterAddOn, 'v1alpha1'>
