/** IAM by the AWS SDK, which is loaded with this file and with nothing else: import it only when it is used. */
import type { GetRoleCommandOutput, IAMClientConfig, Tag } from '@aws-sdk/client-iam'
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
  paginateListAttachedRolePolicies,
  paginateListRolePolicies,
  TagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam'
import type { Tags } from '../tags.ts'
import type { Call } from './answers.ts'
import { orNothing } from './answers.ts'
import type { Iam, Role } from './ports.ts'

export function iamBySdk(config: IAMClientConfig, call: Call): Iam & Disposable {
  const client = new IAMClient(config)

  async function policiesOf(RoleName: string) {
    const inline: string[] = []
    const attached: string[] = []
    await orNothing(
      call('iam:ListRolePolicies', async (options) => {
        for await (const page of paginateListRolePolicies({ client }, { RoleName }, options))
          inline.push(...(page.PolicyNames ?? []))
      }),
    )
    await orNothing(
      call('iam:ListAttachedRolePolicies', async (options) => {
        for await (const page of paginateListAttachedRolePolicies({ client }, { RoleName }, options))
          attached.push(...(page.AttachedPolicies ?? []).flatMap(({ PolicyArn }) => PolicyArn ?? []))
      }),
    )
    return { inline, attached }
  }

  return {
    async findRole(RoleName) {
      const found = await orNothing(
        call('iam:GetRole', (options) => client.send(new GetRoleCommand({ RoleName }), options)),
      )
      return found?.Role && roleOf(found.Role)
    },
    async createRole({ name, trust, tags, description }) {
      const role = { RoleName: name, AssumeRolePolicyDocument: trust, Description: description, Tags: tagList(tags) }
      const made = await call('iam:CreateRole', (options) => client.send(new CreateRoleCommand(role), options))
      return made.Role?.Arn ?? ''
    },
    async updateTrust(RoleName, PolicyDocument) {
      const command = new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument })
      await call('iam:UpdateAssumeRolePolicy', (options) => client.send(command, options))
    },
    async tagRole(RoleName, tags) {
      const command = new TagRoleCommand({ RoleName, Tags: tagList(tags) })
      await call('iam:TagRole', (options) => client.send(command, options))
    },
    async findPolicy(RoleName, PolicyName) {
      const command = new GetRolePolicyCommand({ RoleName, PolicyName })
      const found = await orNothing(call('iam:GetRolePolicy', (options) => client.send(command, options)))
      return found?.PolicyDocument && decodeURIComponent(found.PolicyDocument)
    },
    async putPolicy(RoleName, PolicyName, PolicyDocument) {
      const command = new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument })
      await call('iam:PutRolePolicy', (options) => client.send(command, options))
    },
    policiesOf,
    async deletePolicy(RoleName, PolicyName) {
      const command = new DeleteRolePolicyCommand({ RoleName, PolicyName })
      await orNothing(call('iam:DeleteRolePolicy', (options) => client.send(command, options)))
    },
    async detachPolicy(RoleName, PolicyArn) {
      const command = new DetachRolePolicyCommand({ RoleName, PolicyArn })
      await orNothing(call('iam:DetachRolePolicy', (options) => client.send(command, options)))
    },
    async deleteRole(RoleName) {
      const command = new DeleteRoleCommand({ RoleName })
      await orNothing(call('iam:DeleteRole', (options) => client.send(command, options)))
    },
    [Symbol.dispose]: () => client.destroy(),
  }
}

const tagList = (tags: Tags): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))

type SdkRole = NonNullable<GetRoleCommandOutput['Role']>

const roleOf = ({ RoleName, Arn, CreateDate, AssumeRolePolicyDocument, Tags = [] }: SdkRole): Role => ({
  name: RoleName ?? '',
  arn: Arn ?? '',
  createdAt: CreateDate ?? new Date(0),
  trust: decodeURIComponent(AssumeRolePolicyDocument ?? ''),
  tags: Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value ?? ''])),
})
