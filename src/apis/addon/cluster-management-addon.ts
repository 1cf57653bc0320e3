import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int32, Int64, IntOrString, listMap } from '../fields.ts'
import { AddOnMeta, configAt, configKind, configName } from './common.ts'

const share = (description: string, more: object = {}) =>
  Type.Optional(IntOrString({ pattern: '^((100|[0-9]{1,2})%|[0-9]+)$', description, ...more }))
const rollout = {
  minSuccessTime: Type.Optional(
    Type.String({ default: '0', description: 'How long a cluster must be well to count as done.' }),
  ),
  progressDeadline: Type.Optional(
    Type.String({
      default: 'None',
      pattern: '^(([0-9])+[h|m|s])|None$',
      description: 'After which a cluster counts as failed.',
    }),
  ),
  maxFailures: share('How many clusters may fail before it stops.', { default: 0 }),
}
const mandatoryDecisionGroups = Type.Optional(
  Type.Array(
    Type.Object(
      {
        groupName: Type.Optional(Type.String({ description: 'Its name.' })),
        groupIndex: Type.Optional(Int32({ description: 'Its number.' })),
      },
      { description: 'A group of a placement.' },
    ),
    { description: 'Groups that come first.' },
  ),
)

const RolloutStrategy = Type.Object(
  {
    type: Type.Optional(
      Type.Enum(['All', 'Progressive', 'ProgressivePerGroup'], {
        default: 'All',
        description: 'All at once, some at a time, or group by group.',
      }),
    ),
    all: Type.Optional(Type.Object(rollout, { description: 'For All.' })),
    progressive: Type.Optional(
      Type.Object(
        { ...rollout, mandatoryDecisionGroups, maxConcurrency: share('How many clusters at a time.') },
        { description: 'For Progressive.' },
      ),
    ),
    progressivePerGroup: Type.Optional(
      Type.Object({ ...rollout, mandatoryDecisionGroups }, { description: 'For ProgressivePerGroup.' }),
    ),
  },
  { default: { type: 'All' }, description: 'How it is brought to the clusters.' },
)

const InstallStrategy = Type.Object(
  {
    type: Type.Optional(
      Type.Enum(['Manual', 'Placements'], {
        default: 'Manual',
        description: 'Manual: somebody makes its ManagedClusterAddOns. Placements: on the clusters that they choose.',
      }),
    ),
    placements: Type.Optional(
      Type.Array(
        Type.Object(
          {
            namespace: Type.String({ minLength: 1, description: 'Of the placement.' }),
            name: Type.String({ minLength: 1, description: 'Of the placement.' }),
            configs: Type.Optional(
              Type.Array(Type.Object({ ...configKind, ...configName }, { description: 'A configuration.' }), {
                description: 'Configurations on the clusters of this placement.',
              }),
            ),
            rolloutStrategy: Type.Optional(RolloutStrategy),
          },
          { description: 'A placement, with how the add-on is there.' },
        ),
        { ...listMap('namespace', 'name'), description: 'For Placements.' },
      ),
    ),
  },
  { default: { type: 'Manual' }, description: 'On which clusters it is installed.' },
)

export const AddOnConfiguration = Type.Object(
  {
    crdName: Type.Optional(Type.String({ description: 'The custom resource definition of the configuration.' })),
    crName: Type.Optional(Type.String({ description: 'The configuration.' })),
    lastObservedGeneration: Type.Optional(Int64({ description: 'The generation that was last looked at.' })),
  },
  { description: 'Of old: where the configuration is. Use supportedConfigs.' },
)

/** What both versions say alike. */
const commonSpec = {
  addOnMeta: Type.Optional(AddOnMeta),
  installStrategy: Type.Optional(InstallStrategy),
}
const DefaultReference = Type.Object(
  { ...configKind, desiredConfig: configAt('The configuration by default.') },
  { description: 'A default in use.' },
)
const commonStatus = {
  installProgressions: Type.Optional(
    Type.Array(
      Type.Object(
        {
          namespace: Type.String({ minLength: 1, description: 'Of the placement.' }),
          name: Type.String({ minLength: 1, description: 'Of the placement.' }),
          conditions: Conditions('How it goes.'),
          configReferences: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  ...configKind,
                  desiredConfig: configAt('The configuration that its clusters are to have.'),
                  lastAppliedConfig: configAt('The configuration that all of them have.'),
                  lastKnownGoodConfig: configAt('The configuration that all of them were well with.'),
                },
                { description: 'A configuration.' },
              ),
              { description: 'Configurations on the clusters of this placement.' },
            ),
          ),
        },
        { description: 'How far it is on the clusters of a placement.' },
      ),
      { description: 'How far it is, by placement.' },
    ),
  ),
}

const description = 'An add-on that clusters of the fleet can have.'
const specIs = 'What the add-on is and where it is wanted.'
const statusIs = 'What is known of it.'
const displayName = { name: 'DISPLAY NAME', type: 'string', jsonPath: '.spec.addOnMeta.displayName' } as const

export const ClusterManagementAddOn = customResource({
  group: 'addon.open-cluster-management.io',
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  singular: 'clustermanagementaddon',
  shortNames: ['cma', 'cmas'],
  scope: 'Cluster',
  conversion: { webhookPath: '/convert' },
  versions: [
    {
      name: 'v1beta1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              ...commonSpec,
              defaultConfigs: Type.Optional(
                Type.Array(Type.Object({ ...configKind, ...configName }, { description: 'A configuration.' }), {
                  ...listMap('group', 'resource'),
                  description: 'Its configurations where a cluster names none.',
                }),
              ),
            },
            { description: specIs },
          ),
          status: Type.Optional(
            Type.Object(
              {
                ...commonStatus,
                defaultConfigReferences: Type.Optional(
                  Type.Array(DefaultReference, { description: 'Its configurations by default.' }),
                ),
              },
              { description: statusIs },
            ),
          ),
        },
        { description },
      ),
      columns: [displayName],
    },
    {
      name: 'v1alpha1',
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              ...commonSpec,
              addOnConfiguration: Type.Optional(AddOnConfiguration),
              supportedConfigs: Type.Optional(
                Type.Array(
                  Type.Object(
                    {
                      ...configKind,
                      defaultConfig: Type.Optional(
                        Type.Object(configName, { description: 'The configuration where a cluster names none.' }),
                      ),
                    },
                    { description: 'A kind of configuration.' },
                  ),
                  { ...listMap('group', 'resource'), description: 'The kinds of configuration that it takes.' },
                ),
              ),
            },
            { description: specIs },
          ),
          status: Type.Optional(
            Type.Object(
              {
                ...commonStatus,
                defaultconfigReferences: Type.Optional(
                  Type.Array(DefaultReference, { description: 'Its configurations by default.' }),
                ),
              },
              { description: statusIs },
            ),
          ),
        },
        { description },
      ),
      columns: [displayName, { name: 'CRD NAME', type: 'string', jsonPath: '.spec.addOnConfiguration.crdName' }],
    },
  ],
})
export type ClusterManagementAddOn = ObjectOf<typeof ClusterManagementAddOn>
/** The form of old, which is converted from and to the stored one. */
export type ClusterManagementAddOnV1Alpha1 = ObjectOf<typeof ClusterManagementAddOn, 'v1alpha1'>
