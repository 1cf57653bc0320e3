import type { CheckpointName } from '../../../core/checkpoint.ts'
import type { Iam } from './clients/ports.ts'
import { hubRolePolicyName } from './documents.ts'
import type { Step, World } from './hub-plan.ts'
import { whyElsewhere } from './hub-plan.ts'
import type { MappingKind, Mappings } from './mapping/mapping.ts'
import type { EksCluster } from './names.ts'

/** Where a cluster's objects are. */
export interface Outside {
  hub: EksCluster
  iam: Iam
  mappings: Readonly<Record<MappingKind, Mappings>>
}

/** The places between two effects, where a kill may come. */
export type AwsCheckpoint = Extract<CheckpointName, `aws.${string}`>

export const checkpointAfter: Readonly<Record<Step['step'], AwsCheckpoint>> = {
  'create-role': 'aws.role-created',
  'write-trust': 'aws.trust-written',
  'tag-role': 'aws.role-tagged',
  'write-access': 'aws.access-written',
  map: 'aws.mapped',
  'tag-mapping': 'aws.mapping-tagged',
  unmap: 'aws.unmapped',
  'remove-policy': 'aws.policy-removed',
  'detach-policy': 'aws.policy-detached',
  'remove-role': 'aws.role-removed',
}

/** What is there for a role. Changes nothing. */
export async function look(
  { iam, mappings }: Outside,
  role: { name: string; arn: string },
  kinds: Iterable<MappingKind>,
  { withPolicies = false } = {},
): Promise<World> {
  const found = await iam.findRole(role.name)
  const access = found && !withPolicies ? await iam.findPolicy(role.name, hubRolePolicyName) : undefined
  const policies = found && withPolicies ? await iam.policiesOf(role.name) : undefined
  const mapped = await Promise.all([...kinds].map((kind) => mappings[kind].find(role.arn)))
  return {
    ...(found && { role: found }),
    ...(access !== undefined && { access }),
    ...(policies && { policies }),
    mappings: mapped.filter((one) => one !== undefined),
  }
}

/** One effect. Every one of them may have happened before. Throws if a role was made that is not where it should be. */
export async function perform({ hub, iam, mappings }: Outside, roleArn: string, step: Step): Promise<void> {
  switch (step.step) {
    case 'create-role': {
      const description = 'Made by Lanyard for a managed cluster, and removed with it'
      const arn = await iam.createRole({ name: step.role, trust: step.trust, tags: step.tags, description })
      const elsewhere = whyElsewhere(hub, arn)
      if (elsewhere) throw elsewhere
      return
    }
    case 'write-trust':
      return await iam.updateTrust(step.role, step.trust)
    case 'tag-role':
      return await iam.tagRole(step.role, step.tags)
    case 'write-access':
      return await iam.putPolicy(step.role, step.policy, step.document)
    case 'map':
      return await mappings[step.kind].put(roleArn, step.mapped, step.tags, step.found)
    case 'tag-mapping':
      return await mappings[step.kind].tag(roleArn, step.tags)
    case 'unmap':
      return await mappings[step.kind].remove(roleArn)
    case 'remove-policy':
      return await iam.deletePolicy(step.role, step.policy)
    case 'detach-policy':
      return await iam.detachPolicy(step.role, step.policyArn)
    case 'remove-role':
      return await iam.deleteRole(step.role)
  }
}
