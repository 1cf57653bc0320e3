import { DescribeClusterCommand } from '@aws-sdk/client-eks'
import { GetRoleCommand, ListRolePoliciesCommand } from '@aws-sdk/client-iam'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import type { Scene } from './scene.ts'
import { allow, policyOf } from './scene.ts'

/** Makes the stand-in refuse the last call it sends, by that row of the table. */
export type Provocation = (scene: Scene) => Promise<unknown>

const minutes = 60_000
type Change = NonNullable<NonNullable<Parameters<Scene['clients']>[1]>['change']>

/** A call that is changed once it is signed. */
const changed =
  (change: Change): Provocation =>
  ({ clients }) =>
    clients(undefined, { change }).sts.send(new GetCallerIdentityCommand({}))

const authorization = (from: RegExp, to: string): Provocation =>
  changed(({ headers }) => {
    headers['authorization'] = (headers['authorization'] ?? '').replace(from, to)
  })

export const callerProvocations = {
  UNSIGNED: changed(({ headers }) => {
    delete headers['authorization']
  }),
  SIGNATURE_INCOMPLETE: authorization(/, Signature=.*/, ''),
  SCOPE_WRONG: authorization(/\/\d{8}\//, '/20200101/'),
  HEADER_UNSIGNED: changed(({ headers }) => {
    headers['x-amz-other'] = 'added on the way'
  }),
  KEY_UNKNOWN: ({ clients, hub }) =>
    clients({ ...hub.admin, accessKeyId: 'AKIAUNKNOWN' }).sts.send(new GetCallerIdentityCommand({})),
  SIGNATURE_WRONG: ({ clients, hub }) =>
    clients({ ...hub.admin, secretAccessKey: 'guessed' }).sts.send(new GetCallerIdentityCommand({})),
  SIGNATURE_EXPIRED: ({ clients }) =>
    clients(undefined, { clockOffsetMs: -16 * minutes }).sts.send(new GetCallerIdentityCommand({})),
  SIGNATURE_EARLY: ({ clients }) =>
    clients(undefined, { clockOffsetMs: 16 * minutes }).sts.send(new GetCallerIdentityCommand({})),
  async SESSION_EXPIRED({ clients, createRole, hub, clock }) {
    await createRole('r')
    const session = hub.session('r', { seconds: 900 })
    await clock.advance('15m')
    await clients(session).sts.send(new GetCallerIdentityCommand({}))
  },
  NOT_ALLOWED: ({ clients, hub }) =>
    clients(hub.user('reader', policyOf(allow('iam:List*')))).iam.send(new GetRoleCommand({ RoleName: 'any' })),
  DENIED: ({ clients, hub }) => {
    const deny = { ...allow('iam:ListRole*'), Effect: 'Deny' }
    return clients(hub.user('reader', policyOf(allow('iam:*'), deny))).iam.send(
      new ListRolePoliciesCommand({ RoleName: 'any' }),
    )
  },
  THROTTLED: ({ aws, clients }) => {
    aws.faults.add({ action: 'DescribeCluster', do: 'throttle' })
    return clients().eks.send(new DescribeClusterCommand({ name: 'hub' }))
  },
  UNAVAILABLE: ({ aws, clients }) => {
    aws.faults.add({ action: 'GetRole', do: { refuse: 'UNAVAILABLE' } })
    return clients().iam.send(new GetRoleCommand({ RoleName: 'r' }))
  },
} satisfies Record<string, Provocation>
