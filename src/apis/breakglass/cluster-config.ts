import * as Type from 'typebox'
import { ownDomain } from '../../core/own-domain.ts'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int32, Int64, listSet } from '../fields.ts'
import { breakglassGroup, conditionStatus, SecretKeyReference } from './common.ts'
import { OidcAuth, OidcFromIdentityProvider } from './oidc-fields.ts'

const words = (description: string) => Type.Optional(Type.String({ maxLength: 253, description }))
const names = (description: string) => Type.Optional(Type.Array(Type.String(), { ...listSet, description }))

const ConstrainedImpersonation = Type.Object(
  {
    support: Type.Optional(
      Type.Enum(['Auto', 'Enabled', 'Disabled'], { default: 'Auto', description: 'Whether the cluster has it.' }),
    ),
    legacyFallback: Type.Optional(
      Type.Enum(['Allow', 'Warn', 'Forbidden'], { default: 'Allow', description: 'Where it has not.' }),
    ),
    denyUnrecognisedVerbs: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether a verb nobody knows is refused.' }),
    ),
    probeMode: Type.Optional(
      Type.Enum(['user-info', 'serviceaccount', 'arbitrary-node', 'associated-node', 'legacy'], {
        default: 'user-info',
        description: 'How that is found out.',
      }),
    ),
  },
  { description: 'Taken for the sake of existing objects: Lanyard asks reviews and impersonates nobody.' },
)

const Tls = Type.Object(
  {
    source: Type.Enum(['Secret', 'FirstUse', 'System', 'Kubeconfig', 'Insecure'], {
      description: 'Where the trust in the API server comes from.',
    }),
    fingerprint: Type.Optional(Type.String({ description: 'SHA-256 of the CA that is trusted.' })),
    offeredFingerprint: Type.Optional(
      Type.String({ description: 'SHA-256 of another CA that the API server shows, and that nobody confirmed.' }),
    ),
  },
  { description: 'How the API server is trusted.' },
)

export const ClusterConfig = customResource({
  group: breakglassGroup,
  kind: 'ClusterConfig',
  plural: 'clusterconfigs',
  singular: 'clusterconfig',
  shortNames: ['ccfg'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              clusterID: words('Of the cluster, as others know it. Absent: the name of this object.'),
              tenant: words('Whom it belongs to. Absent: as the installation reads it from the id, else nobody.'),
              environment: words('dev, staging, prod, …'),
              site: words('The data centre.'),
              location: words('The region.'),
              authType: Type.Optional(
                Type.Enum(['Kubeconfig', 'OIDC'], {
                  description: 'Absent: as the one block below says that is there.',
                }),
              ),
              kubeconfigSecretRef: Type.Optional(
                SecretKeyReference('A kubeconfig; key `value`, else `kubeconfig`, unless given.'),
              ),
              oidcAuth: Type.Optional(OidcAuth),
              oidcFromIdentityProvider: Type.Optional(OidcFromIdentityProvider),
              qps: Type.Optional(Int32({ minimum: 1, description: 'Calls a second at most.' })),
              burst: Type.Optional(Int32({ minimum: 1, description: 'Calls at once after a pause.' })),
              identityProviderRefs: names('Whose users may get access. Empty: those of every IdentityProvider.'),
              blockSelfApproval: Type.Optional(
                Type.Boolean({ description: 'Whether nobody approves what they asked for themselves.' }),
              ),
              allowedApproverDomains: names('Domains of the mail addresses of approvers. Empty: any.'),
              mailProvider: Type.Optional(
                Type.String({
                  maxLength: 63,
                  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
                  description: 'Who sends the mail.',
                }),
              ),
              userIdentifierClaim: Type.Optional(
                Type.Enum(['email', 'preferred_username', 'sub'], {
                  description:
                    'Which claim the cluster knows its users by. Absent: as the installation has it, else email.',
                }),
              ),
              constrainedImpersonation: Type.Optional(ConstrainedImpersonation),
            },
            { description: 'How the hub gets into the cluster.' },
          ),
          status: Type.Optional(
            Type.Object(
              {
                observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
                conditions: Conditions('How the way into the cluster stands.'),
                server: Type.Optional(Type.String({ description: 'Where calls go.' })),
                tls: Type.Optional(Tls),
                answeredCheck: Type.Optional(
                  Type.String({
                    description: `The newest ${ownDomain}/check-requested-at that the conditions are an answer to.`,
                  }),
                ),
              },
              { description: 'What is known of the way into the cluster.' },
            ),
          ),
        },
        { description: 'A cluster that the hub can get into, and how. Its name is unique over all namespaces.' },
      ),
      columns: [
        { name: 'Ready', type: 'string', jsonPath: conditionStatus('Ready') },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', priority: 1 },
        { name: 'Tenant', type: 'string', jsonPath: '.spec.tenant', priority: 1 },
        { name: 'ClusterID', type: 'string', jsonPath: '.spec.clusterID', priority: 1 },
        { name: 'Fingerprint', type: 'string', jsonPath: '.status.tls.fingerprint', priority: 1 },
      ],
    },
  ],
})
export type ClusterConfig = ObjectOf<typeof ClusterConfig>
