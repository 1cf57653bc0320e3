import type { Static } from 'typebox'
import * as Type from 'typebox'
import { MapOf } from '../fields.ts'
import { NamespaceFilter, Words } from './common.ts'

const weight = (description: string) => Type.Optional(Type.Integer({ description }))

const RiskFactors = Type.Object(
  {
    hostNetwork: weight('The pod uses the network of its node.'),
    hostPID: weight('It sees the processes of its node.'),
    hostIPC: weight('It shares memory with its node.'),
    privilegedContainer: weight('A container is privileged.'),
    runAsRoot: weight('A container runs as root.'),
    hostPathWritable: weight('A volume is a folder of the node that it can write to.'),
    hostPathReadOnly: weight('A volume is a folder of the node that it can only read.'),
    capabilities: Type.Optional(
      MapOf(Type.Integer(), { description: 'A container has a capability, by its name: `NET_ADMIN`.' }),
    ),
  },
  { description: 'What each thing about a pod adds to its score.' },
)

const Threshold = Type.Object(
  {
    maxScore: Type.Integer({ description: 'Up to which score it holds.' }),
    action: Type.Enum(['allow', 'warn', 'deny'], { description: 'What happens.' }),
    reason: Type.Optional(
      Type.String({ description: 'What is said; may hold {{.Score}}, {{.Factors}}, {{.Pod}}, {{.Namespace}}.' }),
    ),
  },
  { description: 'What happens up to a score.' },
)

/** Of a DenyPolicy. */
export const PodSecurityRules = Type.Object(
  {
    riskFactors: RiskFactors,
    thresholds: Type.Array(Threshold, {
      maxItems: 20,
      description: 'The first that the score does not exceed counts. Above them all: deny.',
    }),
    blockFactors: Words('What is refused whatever the score.', { maxItems: 10 }),
    appliesTo: Type.Optional(
      Type.Object(
        { subresources: Words('Of pods. Absent: exec, attach and portforward.', { maxItems: 20 }) },
        { description: 'Which requests are looked at.' },
      ),
    ),
    exemptions: Type.Optional(
      Type.Object(
        {
          namespaces: Type.Optional(NamespaceFilter('Pods in these namespaces.')),
          podLabels: Type.Optional(MapOf(Type.String(), { description: 'Pods with all of these labels.' })),
        },
        { description: 'Pods that are not looked at.' },
      ),
    ),
    failMode: Type.Optional(
      Type.Enum(['open', 'closed'], {
        default: 'closed',
        description: 'Whether a request is let through or refused when its pod cannot be read.',
      }),
    ),
  },
  { description: 'What is refused because of the pod that it goes to.' },
)
export type PodSecurityRules = Static<typeof PodSecurityRules>

/** Of a BreakglassEscalation. */
export const PodSecurityOverrides = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Whether they hold.' })),
    maxAllowedScore: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1000, description: 'A pod with no more than this is let through.' }),
    ),
    exemptFactors: Words('What is not refused outright.', { maxItems: 10 }),
    namespaceScope: Type.Optional(NamespaceFilter('Where they hold. Absent: everywhere.')),
    requireApproval: Type.Optional(Type.Boolean({ description: 'Whether somebody must have agreed to them.' })),
    approvers: Type.Optional(
      Type.Object(
        { users: Words('By name.'), groups: Words('By a group they are in.') },
        { description: 'Who may agree to them.' },
      ),
    ),
  },
  { description: 'What its sessions may do in spite of the pod rules of a DenyPolicy.' },
)
export type PodSecurityOverrides = Static<typeof PodSecurityOverrides>
