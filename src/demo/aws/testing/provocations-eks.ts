import {
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeClusterCommand,
  ListAccessEntriesCommand,
  TagResourceCommand,
} from '@aws-sdk/client-eks'
import type { Provocation } from './provocations-caller.ts'
import type { Scene } from './scene.ts'
import { hubAccount, region } from './scene.ts'

const principalArn = `arn:aws:iam::${hubAccount}:role/r`

async function enter({ clients, createRole, hub }: Scene, more: object = {}) {
  if (!hub.role('r')) await createRole('r')
  return clients().eks.send(new CreateAccessEntryCommand({ clusterName: 'hub', principalArn, ...more }))
}

export const eksProvocations = {
  CLUSTER_UNKNOWN: ({ clients }) =>
    clients(undefined, { at: 'us-east-1' }).eks.send(new DescribeClusterCommand({ name: 'hub' })),
  ENTRY_UNKNOWN: ({ clients }) =>
    clients().eks.send(new DeleteAccessEntryCommand({ clusterName: 'hub', principalArn })),
  RESOURCE_UNKNOWN: ({ clients }) => {
    const resourceArn = `arn:aws:eks:${region}:${hubAccount}:cluster/other`
    return clients().eks.send(new TagResourceCommand({ resourceArn, tags: { a: 'b' } }))
  },
  async ENTRY_EXISTS(scene) {
    await enter(scene)
    await enter(scene)
  },
  ENTRY_PRINCIPAL_INVALID: (scene) => enter(scene, { principalArn: `arn:aws:iam::${hubAccount}:role/not-there` }),
  ENTRY_PRINCIPAL_MALFORMED: (scene) =>
    enter(scene, { principalArn: `arn:aws:sts::${hubAccount}:assumed-role/r/session` }),
  CLUSTER_NAME_MALFORMED: ({ clients }) => clients().eks.send(new DescribeClusterCommand({ name: 'hub/../other' })),
  ENTRY_GROUP_RESERVED: (scene) => enter(scene, { kubernetesGroups: ['fine', 'system:masters'] }),
  ENTRY_USERNAME_RESERVED: (scene) => enter(scene, { username: 'system:admin' }),
  ENTRY_TYPE_WRONG: (scene) => enter(scene, { type: 'EC2_LINUX', username: 'node' }),
  ENTRY_MODE_WRONG: (scene) => {
    scene.cluster.authenticationMode = 'CONFIG_MAP'
    return enter(scene)
  },
  EKS_PARAMETER_WRONG: ({ clients }) =>
    clients().eks.send(new ListAccessEntriesCommand({ clusterName: 'hub', nextToken: 'invented' })),
  EKS_TAGS_WRONG: ({ clients, cluster }) =>
    clients().eks.send(new TagResourceCommand({ resourceArn: cluster.arn, tags: { 'aws:mine': 'v' } })),
} satisfies Record<string, Provocation>
