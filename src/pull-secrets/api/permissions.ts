import type { ResourceRule } from '../../fleet/identity/index.ts'

/** What callers may be allowed. To read tokens is another thing than to see what there is. */
export const permissions = {
  readTokens: 'pull-secrets:read',
  create: 'pull-secrets:create',
  delete: 'pull-secrets:delete',
  readRotations: 'rotations:read',
  rotate: 'rotations:create',
  confirmRotation: 'rotations:confirm',
  readMetadata: 'metadata:read',
  operate: 'operator',
  receiveEvents: 'events:receive',
} as const

const group = 'hyperfleet.io'
const secrets = { group, resource: 'clusters', subresource: 'pull-secrets' }
const rotations = { group, resource: 'clusters', subresource: 'pull-secrets/rotations' }
const events = { group, resource: 'clusters', subresource: 'pull-secrets/events' }

/** What RBAC calls them: `clusters/pull-secrets` and `clusters/pull-secrets/rotations` of hyperfleet.io. */
export const accessRules: Readonly<Record<string, ResourceRule>> = {
  [permissions.readTokens]: { verb: 'get', ...secrets },
  [permissions.create]: { verb: 'create', ...secrets },
  [permissions.delete]: { verb: 'delete', ...secrets },
  [permissions.readMetadata]: { verb: 'list', ...secrets },
  [permissions.operate]: { verb: 'operate', ...secrets },
  [permissions.receiveEvents]: { verb: 'create', ...events },
  [permissions.readRotations]: { verb: 'list', ...rotations },
  [permissions.rotate]: { verb: 'create', ...rotations },
  // Whoever delivers says that it was delivered: no verb of its own.
  [permissions.confirmRotation]: { verb: 'create', ...rotations },
}

/** What an owner has to be allowed, where the API server says whose a cluster is. */
export const ownerRule: ResourceRule = { verb: 'create', ...rotations }
