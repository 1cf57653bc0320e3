import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { isAlreadyExists, isConflict } from '../../../../kube/failures.ts'
import { configMaps } from '../../../../kube/kinds.ts'
import type { Kube } from '../../../../kube/kube.ts'
import { turns } from '../hub-turns.ts'
import type { MapRoles } from './map-roles.ts'
import { entriesFor, readMapRoles, withEntry, withoutEntry } from './map-roles.ts'
import type { Mappings } from './mapping.ts'

export const awsAuth = { namespace: 'kube-system', name: 'aws-auth' } as const

/** Each lost to a write of somebody else. More than that in a row is left to the back-off of whoever asked. */
const mostTries = 8

/**
 * Entries in the ConfigMap aws-auth, which node groups, administrators and tools edit as well. Each write replaces the
 * version it was made from and no other: an edit in between is read, and kept.
 */
export function awsAuthEntries(kube: Kube): Mappings {
  const collection = kube.of(configMaps, awsAuth.namespace)
  const find = () => collection.find(awsAuth.name)
  /** A hub that accepts many clusters at once must not be its own competitor. */
  const inTurn = turns()

  /** As it was read last: most of the time it has not changed since. */
  let last: MapRoles = { text: '', entries: [] }
  const rolesIn = (map: ConfigMap | undefined): MapRoles => {
    const text = map?.data?.['mapRoles'] ?? ''
    if (last.text !== text) last = readMapRoles(text)
    return last
  }

  async function edit(change: (roles: MapRoles) => MapRoles): Promise<void> {
    for (let tries = 1; ; tries++) {
      const found = await find()
      const before = rolesIn(found)
      const after = change(before)
      if (after === before) return
      const data = { ...found?.data, mapRoles: after.text }
      try {
        if (found) await collection.update({ ...found, data })
        else await collection.create(newConfigMap(after.text))
        last = after
        return
      } catch (error) {
        if (tries === mostTries || !(isConflict(error) || isAlreadyExists(error))) throw error
      }
    }
  }

  return {
    kind: 'aws-auth',
    async find(roleArn) {
      const entries = entriesFor(rolesIn(await find()), roleArn)
      const [first] = entries
      if (!first) return undefined
      const { username, groups } = first
      return { kind: 'aws-auth', username, groups, isUnfit: entries.length > 1 }
    },
    put: (roleArn, { username, groups }) =>
      inTurn(awsAuth.name, () => edit((roles) => withEntry(roles, { roleArn, username, groups }))),
    tag: async () => {},
    remove: (roleArn) => inTurn(awsAuth.name, () => edit((roles) => withoutEntry(roles, roleArn))),
  }
}

const newConfigMap = (mapRoles: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...awsAuth },
  data: { mapRoles },
})
