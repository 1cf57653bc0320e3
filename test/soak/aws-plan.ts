import type { CheckpointName } from '../../src/core/checkpoint.ts'

/** What becomes of a cluster in one round, in this order. */
export const phases = ['grant', 'drift', 'denial', 'again', 'deletion'] as const
export type Phase = (typeof phases)[number]

/** When the hub is killed: at a checkpoint of its own, or by what AWS is just asked, before or after AWS did it. */
export type Kill = { readonly at: CheckpointName } | { readonly call: string; readonly when: 'instead' | 'after' }

const granting: readonly CheckpointName[] = ['aws.recorded', 'aws.role-created', 'aws.access-written', 'aws.mapped']
const revoking: readonly CheckpointName[] = [
  'aws.unmapped',
  'aws.policy-removed',
  'aws.policy-detached',
  'aws.role-removed',
  'aws.record-removed',
]

const places: Readonly<Record<Phase, readonly CheckpointName[]>> = {
  grant: granting,
  drift: ['aws.trust-written', 'aws.role-tagged', 'aws.access-written', 'aws.mapped', 'aws.mapping-tagged'],
  denial: revoking,
  again: granting,
  deletion: revoking,
}

/** Those that the access entries of the mode API need are not made in the mode CONFIG_MAP. */
const ofEntries = ['DescribeAccessEntry', 'CreateAccessEntry', 'UpdateAccessEntry', 'DeleteAccessEntry', 'TagResource']

const toGrant = ['GetRole', 'CreateRole', 'PutRolePolicy', 'DescribeAccessEntry', 'CreateAccessEntry']
const toRevoke = [
  'GetRole',
  'ListRolePolicies',
  'ListAttachedRolePolicies',
  'DeleteAccessEntry',
  'DeleteRolePolicy',
  'DetachRolePolicy',
  'DeleteRole',
]

const calls: Readonly<Record<Phase, readonly string[]>> = {
  grant: toGrant,
  drift: ['GetRolePolicy', 'UpdateAssumeRolePolicy', 'TagRole', 'PutRolePolicy', 'UpdateAccessEntry', 'TagResource'],
  denial: toRevoke,
  again: toGrant,
  deletion: toRevoke,
}

/** Made while the EKS cluster moves to access entries, by clusters that the ConfigMap knew. */
export const moving: readonly CheckpointName[] = ['aws.recorded', 'aws.mapped', 'aws.unmapped']

/** So many rounds are killed at every checkpoint. */
export const roundsForAll = 2 * Math.max(...Object.values(places).map(({ length }) => length))

/** Every second round at a checkpoint, the others at a call; the lists are of different lengths, so rounds differ. */
export function killOf(round: number, phase: Phase, { byConfigMap = false } = {}): Kill {
  const turn = Math.floor(round / 2)
  const at = inTurn(
    places[phase].filter((name) => !byConfigMap || name !== 'aws.mapping-tagged'),
    turn,
  )
  const call = inTurn(
    calls[phase].filter((name) => !byConfigMap || !ofEntries.includes(name)),
    turn,
  )
  if (round % 2 === 0) return { at }
  return { call, when: turn % 2 === 0 ? 'instead' : 'after' }
}

function inTurn<T>(list: readonly T[], turn: number): T {
  const found = list[turn % list.length]
  if (found === undefined) throw new Error('nothing to take turns with')
  return found
}
