import type { AwsAccount, AwsCluster, AwsRole, ClusterOptions } from './contract.ts'
import { callerOfToken, userOfCaller } from './eks-token.ts'
import { accessPolicy } from './policy-document.ts'
import { issueUserKey, startSession } from './sessions.ts'
import type { Account, Cluster, Role, User, World } from './state.ts'
import { uniqueId } from './state.ts'
import { shownTrust } from './trust-principals.ts'

const everything = { Version: '2012-10-17', Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }

/** An account as tests see it; `admin` is its first user. */
export function openAccount(world: World, id: string, partition = 'aws'): AwsAccount {
  if (!/^\d{12}$/.test(id)) throw new RangeError(`an account is twelve digits, not ${id}`)
  const account: Account = { id, partition, roles: new Map(), users: new Map(), providers: new Map() }
  world.accounts.set(id, account)
  const named = (name: string): Role => {
    const role = account.roles.get(name.toLowerCase())
    if (!role) throw new Error(`account ${id} has no role ${name}; create it first`)
    return role
  }
  const user: AwsAccount['user'] = (name, ...policies) => issueUserKey(world, addUser(account, name, policies))
  return {
    id,
    admin: user('admin', everything),
    adminArn: `arn:${partition}:iam::${id}:user/admin`,
    roles: () => [...account.roles.values()].map((role) => shownRole(world, role)),
    role(name) {
      const role = account.roles.get(name.toLowerCase())
      return role && shownRole(world, role)
    },
    user,
    session: (role, { name = 'session', seconds = 3600 } = {}) => startSession(world, named(role), { name, seconds }),
    attach(role, policyArn, document) {
      named(role).attached.set(policyArn, document && accessPolicy(JSON.stringify(document)))
    },
  }
}

function addUser(account: Account, name: string, policies: readonly object[]): User {
  const user: User = {
    account,
    name,
    arn: `arn:${account.partition}:iam::${account.id}:user/${name}`,
    id: uniqueId('AIDA'),
    policies: policies.map((policy) => accessPolicy(JSON.stringify(policy))),
  }
  account.users.set(name, user)
  return user
}

const shownRole = (world: World, role: Role): AwsRole => ({
  name: role.name,
  arn: role.arn,
  id: role.id,
  trust: shownTrust(world, role.trust),
  policies: Object.fromEntries([...role.inline].map(([name, text]) => [name, JSON.parse(text)])),
  attached: [...role.attached.keys()],
  tags: Object.fromEntries(role.tags),
})

/** A cluster that somebody made; making one is no part of the stand-in. */
export function addCluster(world: World, account: Account, ownHost: () => string, options: ClusterOptions): AwsCluster {
  const { name, region = 'us-east-1', authenticationMode = 'API' } = options
  const id = uniqueId('')
  const cluster: Cluster = {
    account,
    arn: `arn:${account.partition}:eks:${region}:${account.id}:cluster/${name}`,
    name,
    region,
    authenticationMode,
    endpoint: options.endpoint ?? `https://${id}.gr7.${region}.eks.amazonaws.com`,
    certificateAuthority: options.certificateAuthority ?? 'no certificate was given to the stand-in',
    issuer: options.issuer ?? `https://oidc.eks.${region}.amazonaws.com/id/${id}`,
    createdAt: world.clock.now(),
    entries: new Map(),
    tags: new Map(),
  }
  world.clusters.set(cluster.arn, cluster)
  return {
    arn: cluster.arn,
    name,
    get authenticationMode() {
      return cluster.authenticationMode
    },
    set authenticationMode(mode) {
      cluster.authenticationMode = mode
    },
    accessEntries: () =>
      [...cluster.entries.values()].map(({ tags, arn, principalArn, username, groups, type }) => ({
        principalArn,
        arn,
        username,
        groups,
        type,
        tags: Object.fromEntries(tags),
      })),
    userOf(token) {
      const verdict = callerOfToken(world, ownHost(), token, name)
      return 'refused' in verdict ? verdict : userOfCaller(cluster, verdict.caller)
    },
  }
}
