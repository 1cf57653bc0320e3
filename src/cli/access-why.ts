import type { Command } from 'commander'
import { openAccess, sameAccessFlags } from './access-server.ts'
import type { ShowOptions } from './access-show.ts'
import { section } from './description.ts'
import { formatData } from './output.ts'
import { hintOn, printOn } from './print-on.ts'
import { printable } from './printable.ts'
import type { Stop } from './stop-signal.ts'

export interface WhyOptions extends ShowOptions {
  namespace?: string
  user?: string
}

/** What GET /api/explain answers, as far as it is shown. */
interface Explained {
  allowed: boolean
  /** What allows it or forbids it. */
  by?: 'session' | 'rbac' | 'policy'
  decision: { reason: string }
  sessions: { name: string; group: string; state: string; aside?: string }[]
  policies: { policy: string; because: string; session?: string }[]
  escalations: { name: string; group?: string; verified?: boolean }[]
}

export interface WhyArguments {
  cluster: string
  verb: string
  resource: string
  name?: string | undefined
}

/** `lanyard access why`: may this be done, why, and what would allow it. */
export async function why(asked: WhyArguments, options: WhyOptions, command: Command, stop: Stop): Promise<void> {
  const print = printOn(command)
  const { client } = await openAccess(command, stop)
  const answer = await client.get<Explained>('/api/explain', queryOf(asked, options))
  if (options.output !== 'table') return print(formatData(options.output, answer))
  print(`${printable(verdictOf(answer))}\n`)
  print(
    section('Sessions', answer.sessions, [
      { heading: 'NAME', cell: ({ name }) => name },
      { heading: 'GROUP', cell: ({ group }) => group },
      { heading: 'STATE', cell: ({ state }) => state },
      { heading: 'COUNTS', cell: ({ aside }) => (aside === undefined ? 'yes' : `no, ${asides[aside] ?? aside}`) },
    ]),
  )
  print(
    section('Policies that forbid it', answer.policies, [
      { heading: 'POLICY', cell: ({ policy }) => policy },
      { heading: 'BECAUSE', cell: ({ because }) => because },
      { heading: 'ONLY FOR', cell: ({ session }) => session },
    ]),
  )
  print(
    section('Escalations that would allow it', answer.escalations, [
      { heading: 'GROUP', cell: ({ group }) => group },
      { heading: 'NAME', cell: ({ name }) => name },
      { heading: 'SURE', cell: ({ verified }) => (verified ? 'yes' : 'no, the cluster could not be asked') },
    ]),
  )
  const [first] = answer.escalations
  if (!answer.allowed && first?.group !== undefined && options.user === undefined)
    hintOn(command)(
      `\nAsk for it: lanyard access request ${asked.cluster} ${first.group} --reason …${sameAccessFlags(command)}\n`,
    )
}

function verdictOf({ allowed, by, decision }: Explained): string {
  if (by === 'rbac') return 'Yes: the cluster allows it by itself.'
  if (allowed) return `Yes, by a session: ${decision.reason}`
  return `${by === 'policy' ? 'No, it is forbidden' : 'No'}: ${decision.reason}`
}

/** Why a session does not count for this. */
const asides: Readonly<Record<string, string>> = {
  'not-granting': 'it grants nothing now',
  'other-issuer': 'the token is of another issuer',
  'other-provider': 'the cluster does not take its identity provider',
  policy: 'a policy forbids it',
  refused: 'its group may not do this either',
  unverified: 'the cluster could not be asked',
}

/** `pods/log` and `deployments.apps` as kubectl takes them; what begins with a slash is a path. */
export function queryOf({ cluster, verb, resource, name }: WhyArguments, options: WhyOptions): Record<string, string> {
  const common = { cluster, verb, ...(options.user !== undefined && { user: options.user }) }
  if (resource.startsWith('/')) return { ...common, path: resource }
  const [kind = '', subresource] = resource.split('/', 2)
  const [plural = '', ...group] = kind.split('.')
  return {
    ...common,
    resource: plural,
    ...(group.length > 0 && { group: group.join('.') }),
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
    ...(options.namespace !== undefined && { namespace: options.namespace }),
  }
}
