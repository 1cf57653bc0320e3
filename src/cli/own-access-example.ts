/** What `lanyard up` shows break glass with: a Secret that nobody may read, and how somebody may. */
import { AuditConfig } from '../apis/breakglass/audit-config.ts'
import { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import { DenyPolicy } from '../apis/breakglass/deny-policy.ts'
import { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import type { Manifest } from '../fleet/manifests/manifest.ts'
import { managedBy, manifest, secretData } from '../fleet/manifests/manifest.ts'
import { clusterRole, clusterRoleBinding, group, rule } from '../fleet/manifests/rbac.ts'
import { hubNamespace } from '../fleet/names.ts'
import { namespaces, secrets } from '../kube/kinds.ts'
import { people, peopleClientId } from './own-people.ts'

export const example = {
  namespace: 'payments',
  secret: 'database',
  /** Whose rights a session grants. */
  group: 'payments-support',
  provider: 'lanyard-up',
  policy: 'payments-secrets-stay',
} as const

const labels = { ...managedBy }

/** On each cluster. */
export const spokeExample = (): Manifest[] => [
  manifest(namespaces, { metadata: { name: example.namespace, labels } }),
  manifest(secrets, {
    metadata: { name: example.secret, namespace: example.namespace, labels },
    data: secretData({ password: 'correct horse battery staple' }),
  }),
  clusterRole(example.group, [
    rule('', ['secrets'], ['get', 'list', 'delete']),
    rule('', ['pods', 'pods/log'], ['get', 'list']),
  ]),
  clusterRoleBinding(example.group, example.group, [group(example.group)]),
]

/** On the hub. */
export const hubExample = ({ issuer, caPem }: { issuer: string; caPem: string }): Manifest[] => [
  manifest(IdentityProvider.resource, {
    metadata: { name: example.provider, labels },
    spec: {
      displayName: 'the identity provider of lanyard up',
      oidc: { authority: issuer, clientID: peopleClientId, certificateAuthority: caPem },
    },
  }),
  manifest(BreakglassEscalation.resource, {
    metadata: { name: example.group, namespace: hubNamespace, labels },
    spec: {
      escalatedGroup: example.group,
      allowed: { clusters: ['cluster*'], groups: people.alice.groups.slice() },
      approvers: { groups: people.bob.groups.slice() },
      blockSelfApproval: true,
      requestReason: { mandatory: true, description: 'A ticket, or what is broken.' },
      maxValidFor: '1h',
      emergencyBypass: { enabled: true },
    },
  }),
  manifest(AuditConfig.resource, {
    metadata: { name: example.provider, labels },
    spec: { sinks: [{ name: 'log', type: 'log' }] },
  }),
  manifest(DenyPolicy.resource, {
    metadata: { name: example.policy, labels },
    spec: {
      rules: [
        { verbs: ['delete'], apiGroups: [''], resources: ['secrets'], namespaces: { patterns: [example.namespace] } },
      ],
    },
  }),
]
