import { resourceName } from '../objects.ts'
import { certificateSigningRequests } from './certificate-signing-request.ts'
import { configMaps } from './config-map.ts'
import { daemonSets } from './daemon-set.ts'
import type { Definition } from './define.ts'
import { builtIn } from './define.ts'
import { deployments } from './deployment.ts'
import { endpoints } from './endpoints.ts'
import { coreEvents, newEvents } from './events.ts'
import type { Action, Kind, Rules } from './kind.ts'
import { leases } from './lease.ts'
import { namespaces } from './namespace.ts'
import { nodes } from './node.ts'
import { statusPart } from './parts.ts'
import { pods } from './pod.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac.ts'
import { replicaSets } from './replica-set.ts'
import { secrets } from './secret.ts'
import { services } from './service.ts'
import { serviceAccounts } from './service-account.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configuration.ts'

export interface BuiltInParts {
  /** Who answers reviews, by resource: `tokenreviews.authentication.k8s.io`. All of `reviews` must be there. */
  readonly answers: Readonly<Record<string, NonNullable<Kind['answer']>>>
  /** Issues a token for a service account. */
  readonly token: Action['act']
  /** Of CustomResourceDefinitions. */
  readonly crdRules: Rules
}

export const reviews: readonly (readonly [group: string, plural: string])[] = [
  ['authentication.k8s.io', 'selfsubjectreviews'],
  ['authentication.k8s.io', 'tokenreviews'],
  ['authorization.k8s.io', 'localsubjectaccessreviews'],
  ['authorization.k8s.io', 'selfsubjectaccessreviews'],
  ['authorization.k8s.io', 'selfsubjectrulesreviews'],
  ['authorization.k8s.io', 'subjectaccessreviews'],
]

/** Every kind that is served from the start. */
export function builtInKinds({ answers, token, crdRules }: BuiltInParts): Kind[] {
  const kinds: Readonly<Record<string, Readonly<Record<string, Definition>>>> = {
    '': {
      configmaps: configMaps,
      endpoints,
      events: coreEvents,
      namespaces,
      nodes,
      pods,
      secrets,
      serviceaccounts: serviceAccounts(token),
      services,
    },
    'admissionregistration.k8s.io': {
      mutatingwebhookconfigurations: mutatingWebhookConfigurations,
      validatingwebhookconfigurations: validatingWebhookConfigurations,
    },
    'apiextensions.k8s.io': {
      customresourcedefinitions: { rules: crdRules, subresources: { status: statusPart() } },
    },
    apps: { daemonsets: daemonSets, deployments, replicasets: replicaSets },
    'certificates.k8s.io': { certificatesigningrequests: certificateSigningRequests },
    'coordination.k8s.io': { leases },
    'events.k8s.io': { events: newEvents },
    'rbac.authorization.k8s.io': {
      clusterrolebindings: clusterRoleBindings,
      clusterroles: clusterRoles,
      rolebindings: roleBindings,
      roles,
    },
  }
  return [
    ...Object.entries(kinds).flatMap(([group, ofGroup]) =>
      Object.entries(ofGroup).map(([plural, definition]) => builtIn(group, plural, definition)),
    ),
    ...reviews.map(([group, plural]) =>
      builtIn(group, plural, { answer: answerOf(answers, resourceName(group, plural)) }),
    ),
  ]
}

function answerOf(answers: BuiltInParts['answers'], resource: string): NonNullable<Kind['answer']> {
  const answer = answers[resource]
  if (!answer) throw new Error(`nobody answers ${resource}`)
  return answer
}
