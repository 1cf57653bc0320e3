import type { Command } from 'commander'
import { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import { DenyPolicy } from '../apis/breakglass/deny-policy.ts'
import { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import type { Kube } from '../kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../kube/objects.ts'
import { escalationColumns, sessionColumns } from './access-show.ts'
import { failures } from './failures.ts'
import type { CommandDeps } from './open-hub.ts'
import { withHub } from './operate.ts'
import type { OutputFormat } from './output.ts'
import { formatData } from './output.ts'
import { printOn } from './print-on.ts'
import type { Stop } from './stop-signal.ts'
import type { TableColumn } from './table.ts'
import { formatSpan, formatTable } from './table.ts'

export const accessKinds = ['escalations', 'sessions', 'denypolicies', 'identityproviders'] as const
export type AccessKind = (typeof accessKinds)[number]

/** `lanyard get escalations` and the like: as an administrator of the hub sees them, whoever's they are. */
export const getAccess = (kind: AccessKind, names: string[], output: OutputFormat, command: Command, stop: Stop) =>
  withHub(command, stop, async ({ client: kube }, deps) => {
    printOn(command)(await showAccess(kind, { kube, names, output }, deps))
  })

export interface ShowAccess {
  kube: Kube
  /** Empty: all. */
  names: readonly string[]
  output: OutputFormat
}

export function showAccess(kind: AccessKind, wish: ShowAccess, deps: CommandDeps): Promise<string> {
  const now = deps.clock.now()
  switch (kind) {
    case 'escalations':
      return shown(BreakglassEscalation.resource, escalationColumns, kind, wish, deps)
    case 'sessions':
      return shown(BreakglassSession.resource, sessionColumns(now), kind, wish, deps)
    case 'denypolicies':
      return shown(DenyPolicy.resource, policyColumns(now), kind, wish, deps)
    case 'identityproviders':
      return shown(IdentityProvider.resource, providerColumns(now), kind, wish, deps)
  }
}

async function shown<T extends KubeObject>(
  resource: Resource<T>,
  columns: readonly TableColumn<Stored<T>>[],
  kind: AccessKind,
  { kube, names, output }: ShowAccess,
  { signal }: CommandDeps,
): Promise<string> {
  const found: Stored<T>[] = []
  for await (const { items } of kube.of(resource).pages({ signal })) found.push(...items)
  const unknown = names.find((wanted) => !found.some(({ metadata }) => metadata.name === wanted))
  if (unknown !== undefined) throw failures.ACCESS_NONE_SUCH({ kind, name: unknown })
  const rows = found.filter(({ metadata }) => names.length === 0 || names.includes(metadata.name))
  if (output === 'json' || output === 'yaml') return formatData(output, rows)
  return rows.length === 0 ? `There are no ${kind} yet.\n` : formatTable(columns, rows, output === 'wide')
}

type Conditioned = { status?: { conditions?: readonly { type: string; status: string; message?: string }[] } }

const readyOf = ({ status }: Conditioned) => status?.conditions?.find(({ type }) => type === 'Ready')

const common = <T extends KubeObject & Conditioned>(now: Date): TableColumn<Stored<T>>[] => [
  { heading: 'READY', cell: (row) => readyOf(row)?.status },
  {
    heading: 'AGE',
    cell: ({ metadata }) => formatSpan(now.getTime() - new Date(metadata.creationTimestamp ?? now).getTime()),
  },
  { heading: 'MESSAGE', cell: (row) => readyOf(row)?.message, wide: true },
]

const policyColumns = (now: Date): readonly TableColumn<Stored<DenyPolicy>>[] => [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  { heading: 'CLUSTERS', cell: ({ spec }) => spec.appliesTo?.clusters?.join(',') ?? 'all' },
  { heading: 'TENANTS', cell: ({ spec }) => spec.appliesTo?.tenants?.join(',') ?? 'all', wide: true },
  { heading: 'SESSIONS', cell: ({ spec }) => spec.appliesTo?.sessions?.join(',') ?? 'all', wide: true },
  { heading: 'RULES', cell: ({ spec }) => String(spec.rules?.length ?? 0) },
  { heading: 'PRECEDENCE', cell: ({ spec }) => String(spec.precedence ?? 100) },
  ...common<DenyPolicy>(now),
]

const providerColumns = (now: Date): readonly TableColumn<Stored<IdentityProvider>>[] => [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  { heading: 'ISSUER', cell: ({ spec }) => spec?.issuer ?? spec?.oidc.authority },
  { heading: 'CLIENT', cell: ({ spec }) => spec?.oidc.clientID },
  { heading: 'GROUPS FROM', cell: ({ spec }) => spec?.groupSyncProvider ?? 'tokens' },
  { heading: 'USED', cell: ({ spec }) => (spec?.disabled ? 'no' : 'yes') },
  ...common<IdentityProvider>(now),
]
