import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { AnyObject, Condition, Conditions, Int32, Int64, listMap } from '../fields.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const ResourceIdentifier = Type.Object(
  {
    group: text('Its API group; empty for the core one.'),
    resource: Type.String({ description: 'Its resource, in the plural.' }),
    name: Type.String({ description: 'Its name.' }),
    namespace: text('Its namespace, where it is in one.'),
  },
  { description: 'One object of the work.' },
)

const DeleteOption = Type.Object(
  {
    propagationPolicy: Type.Optional(
      Type.Enum(['Foreground', 'Orphan', 'SelectivelyOrphan'], {
        default: 'Foreground',
        description:
          'Foreground: all objects are deleted before the work is gone. Orphan: all stay. SelectivelyOrphan: those that selectivelyOrphans names stay.',
      }),
    ),
    selectivelyOrphans: Type.Optional(
      Type.Object(
        { orphaningRules: Type.Optional(Type.Array(ResourceIdentifier, { description: 'Objects that stay.' })) },
        { description: 'For the policy SelectivelyOrphan.' },
      ),
    ),
    ttlSecondsAfterFinished: Type.Optional(
      Int64({ description: 'How long the work is kept once it is complete. Absent: until it is deleted.' }),
    ),
  },
  { description: 'What becomes of the objects when the work is deleted.' },
)

const subdomain = '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$'
const subdomainName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 253, pattern: subdomain, description })

const Executor = Type.Object(
  {
    subject: Type.Optional(
      Type.Object(
        {
          type: Type.Enum(['ServiceAccount'], { description: 'What kind of user it is.' }),
          serviceAccount: Type.Optional(
            Type.Object(
              { name: subdomainName('Its name.'), namespace: subdomainName('Its namespace.') },
              { description: 'A service account of the managed cluster.' },
            ),
          ),
        },
        { description: 'Whose rights apply.' },
      ),
    ),
  },
  { description: 'Applies the work with the rights of another user. Absent: with those of the agent.' },
)

const FeedbackRule = Type.Object(
  {
    type: Type.Enum(['WellKnownStatus', 'JSONPaths'], {
      description: 'WellKnownStatus: what the agent knows to look at for that kind. JSONPaths: what jsonPaths names.',
    }),
    jsonPaths: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'What the value is called in the feedback.' }),
            path: Type.String({ description: 'Where it is, below the status of the object.' }),
            version: text('The API version it is read in. Absent: that of the manifest.'),
          },
          { description: 'One value.' },
        ),
        { ...listMap('name'), description: 'For the type JSONPaths.' },
      ),
    ),
  },
  { description: 'What to report from the status of the object.' },
)

const ConditionRule = Type.Object(
  {
    condition: Type.String({ description: 'The type of the condition that the rule sets.' }),
    type: Type.Enum(['WellKnownConditions', 'CEL'], {
      description: 'WellKnownConditions: what the agent knows of that kind. CEL: what celExpressions say.',
    }),
    celExpressions: texts('For the type CEL: it holds when each of them is true.'),
    message: text('The message of the condition.'),
    messageExpression: text('A CEL expression that makes the message, and goes before it.'),
  },
  { description: 'How a condition of the object is worked out.' },
)

const IgnoreFields = Type.Object(
  {
    condition: Type.Enum(['OnSpokePresent', 'OnSpokeChange'], {
      default: 'OnSpokePresent',
      description: 'OnSpokePresent: once the object is there. OnSpokeChange: once others changed them.',
    }),
    jsonPaths: texts('The fields, as JSON paths.'),
    jsonPointers: texts('The fields, as JSON pointers.'),
    jqPathExpressions: texts('The fields, as paths of jq.'),
  },
  { description: 'Fields that are left to others.' },
)

const UpdateStrategy = Type.Object(
  {
    type: Type.Enum(['Update', 'CreateOnly', 'ServerSideApply', 'ReadOnly'], {
      default: 'Update',
      description:
        'Update: replaced. CreateOnly: created, then left alone. ServerSideApply: applied. ReadOnly: only looked at.',
    }),
    serverSideApply: Type.Optional(
      Type.Object(
        {
          fieldManager: Type.Optional(
            Type.String({
              default: 'work-agent',
              pattern: '^work-agent',
              description: 'Who owns the fields. Works that share an object need different ones.',
            }),
          ),
          force: Type.Optional(Type.Boolean({ description: 'Take over fields that others own.' })),
          ignoreFields: Type.Optional(
            Type.Array(IgnoreFields, { ...listMap('condition'), description: 'Fields that are left to others.' }),
          ),
        },
        { description: 'For the type ServerSideApply.' },
      ),
    ),
  },
  { description: 'How the object is kept as the manifest says.' },
)

const ManifestConfig = Type.Object(
  {
    resourceIdentifier: ResourceIdentifier,
    feedbackRules: Type.Optional(Type.Array(FeedbackRule, { description: 'What to report from its status.' })),
    feedbackScrapeType: Type.Optional(
      Type.Enum(['Poll', 'Watch'], { default: 'Poll', description: 'Whether it is looked at regularly or watched.' }),
    ),
    updateStrategy: Type.Optional(UpdateStrategy),
    conditionRules: Type.Optional(
      Type.Array(ConditionRule, { ...listMap('condition'), description: 'Conditions to work out from it.' }),
    ),
  },
  { description: 'How one object of the work is treated.' },
)

const FieldValue = Type.Object(
  {
    type: Type.Enum(['Integer', 'String', 'Boolean', 'JsonRaw'], { description: 'Which of the others holds it.' }),
    integer: Type.Optional(Int64({ description: 'A whole number.' })),
    string: text('A text.'),
    boolean: Type.Optional(Type.Boolean({ description: 'True or false.' })),
    jsonRaw: Type.Optional(Type.String({ maxLength: 1024, description: 'Anything, as JSON.' })),
  },
  { description: 'The value.' },
)

const ManifestStatus = Type.Object(
  {
    conditions: Type.Array(Condition, { ...listMap('type'), description: 'How the object stands.' }),
    resourceMeta: Type.Object(
      {
        ordinal: Int32({ description: 'The place of its manifest in the work, from 0.' }),
        group: text('Its API group.'),
        version: text('Its API version.'),
        kind: text('Its kind.'),
        resource: text('Its resource, in the plural.'),
        name: text('Its name.'),
        namespace: text('Its namespace.'),
      },
      { description: 'Which object it is.' },
    ),
    statusFeedback: Type.Optional(
      Type.Object(
        {
          values: Type.Optional(
            Type.Array(
              Type.Object(
                { name: Type.String({ description: 'What the rule calls it.' }), fieldValue: FieldValue },
                { description: 'One reported value.' },
              ),
              { ...listMap('name'), description: 'The reported values.' },
            ),
          ),
        },
        { description: 'What its feedback rules found.' },
      ),
    ),
  },
  { description: 'One object of the work.' },
)

export const ManifestWork = customResource({
  group: 'work.open-cluster-management.io',
  kind: 'ManifestWork',
  plural: 'manifestworks',
  singular: 'manifestwork',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                workload: Type.Optional(
                  Type.Object(
                    {
                      manifests: Type.Optional(
                        Type.Array(AnyObject({ description: 'An object of the managed cluster.' }), {
                          description: 'The objects.',
                        }),
                      ),
                    },
                    { description: 'What the cluster is to have.' },
                  ),
                ),
                deleteOption: Type.Optional(DeleteOption),
                manifestConfigs: Type.Optional(
                  Type.Array(ManifestConfig, { description: 'How single objects are treated.' }),
                ),
                executor: Type.Optional(Executor),
              },
              { description: 'What is wanted.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              {
                conditions: Conditions('How the work stands.'),
                resourceStatus: Type.Optional(
                  Type.Object(
                    { manifests: Type.Optional(Type.Array(ManifestStatus, { description: 'One for each object.' })) },
                    { description: 'How its objects stand.' },
                  ),
                ),
              },
              { description: 'What is known of the work.' },
            ),
          ),
        },
        { description: 'Objects that the hub wants on the cluster of the namespace.' },
      ),
    },
  ],
})
export type ManifestWork = ObjectOf<typeof ManifestWork>
