import type { GroupSource } from './contract.ts'
import { mostMembers } from './contract.ts'
import { failures } from './failures.ts'
import type { KeycloakRead } from './keycloak-api.ts'

const pageSize = 100

interface Group {
  readonly id: string
  readonly name: string
  readonly path: string
}

/** Groups of a realm: `/platform/oncall` by its path, `oncall` by its name, which must then be the only one of it. */
export function keycloakGroups(read: KeycloakRead, provider: string): GroupSource {
  async function find(wanted: string, signal: AbortSignal): Promise<Group | undefined> {
    if (wanted.startsWith('/')) {
      const path = wanted.split('/').slice(1).map(encodeURIComponent).join('/')
      return groupIn(await read(`/group-by-path/${path}`, signal))
    }
    const found = await named(wanted, signal)
    const [only, ...others] = found
    if (others.length === 0) return only
    // One at the top is what people mean who name no path.
    const top = found.find(({ path }) => path === `/${wanted}`)
    if (!top) throw failures.GROUP_AMBIGUOUS({ provider, count: found.length, group: wanted })
    return top
  }

  async function named(wanted: string, signal: AbortSignal): Promise<Group[]> {
    const found: Group[] = []
    for (let first = 0; ; first += pageSize) {
      const query = `search=${encodeURIComponent(wanted)}&exact=true&briefRepresentation=true&first=${first}&max=${pageSize}`
      const page = listIn(await read(`/groups?${query}`, signal))
      found.push(...page.flatMap(withSubgroups).filter(({ name }) => name === wanted))
      if (page.length < pageSize) return found
    }
  }

  return {
    async members(wanted, signal) {
      const group = await find(wanted, signal)
      if (!group) return undefined
      const found = new Set<string>()
      for (let first = 0; found.size <= mostMembers.group; first += pageSize) {
        const query = `briefRepresentation=true&first=${first}&max=${pageSize}`
        const page = await read(`/groups/${encodeURIComponent(group.id)}/members?${query}`, signal)
        // Gone since it was found.
        if (page === undefined) return undefined
        for (const user of listIn(page)) for (const address of addressOf(user)) found.add(address)
        if (listIn(page).length < pageSize) break
      }
      return [...found].slice(0, mostMembers.group + 1)
    },
  }
}

const listIn = (answer: unknown): readonly unknown[] => (Array.isArray(answer) ? answer : [])

/** Keycloak answers with the way to a group that is found below others. */
function withSubgroups(answer: unknown): Group[] {
  const own = groupIn(answer)
  const below = (answer as { subGroups?: unknown } | null)?.subGroups
  return [...(own ? [own] : []), ...listIn(below).flatMap(withSubgroups)]
}

function groupIn(answer: unknown): Group | undefined {
  const { id, name, path } = (answer ?? {}) as Partial<Group>
  return typeof id === 'string' && typeof name === 'string' ? { id, name, path: String(path ?? '') } : undefined
}

/** Nobody who is locked out, and nobody without an address. */
function addressOf(user: unknown): string[] {
  const { email, enabled } = (user ?? {}) as { email?: unknown; enabled?: unknown }
  return typeof email === 'string' && email !== '' && enabled !== false ? [email.toLowerCase()] : []
}
