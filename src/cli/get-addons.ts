import { failures } from '../addons/operations/failures.ts'
import type { AddonOverview } from '../addons/overview/addon-overview.ts'
import { readAddons } from '../addons/overview/read-addons.ts'
import type { Kube } from '../kube/kube.ts'
import type { Called } from './called.ts'
import { left } from './description.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OutputFormat } from './output.ts'
import { formatData } from './output.ts'
import type { TableColumn } from './table.ts'
import { formatSpan, formatTable } from './table.ts'

export interface ShowAddons {
  kube: Kube
  /** Empty: all. */
  names: readonly string[]
  /** Absent: of all. */
  cluster?: string
  output: OutputFormat
  called: Called
}

/** What people ask of an add-on at a glance. */
const addonColumns = (now: Date): readonly TableColumn<AddonOverview>[] => [
  { heading: 'CLUSTER', cell: ({ cluster }) => cluster },
  { heading: 'ADDON', cell: ({ addon }) => addon },
  { heading: 'DRIVER', cell: ({ driver }) => driver },
  { heading: 'AVAILABLE', cell: ({ available }) => available },
  { heading: 'CREDENTIAL', cell: (row) => credentialOf(row, now) },
  { heading: 'TROUBLE', cell: ({ troubles }) => troubles[0]?.id },
  { heading: 'AGE', cell: ({ createdAt }) => formatSpan(now.getTime() - createdAt.getTime()) },
  { heading: 'NAMESPACE', cell: ({ namespace }) => namespace, wide: true },
  { heading: 'USER', cell: ({ credentials }) => credentials.flatMap(({ user }) => user ?? []).join(','), wide: true },
  { heading: 'SECRETS', cell: ({ credentials }) => credentials.map(({ secret }) => secret).join(','), wide: true },
  { heading: 'REQUESTS', cell: ({ pendingRequests }) => pendingRequests.join(','), wide: true },
]

function credentialOf({ credential, credentialExpiresAt: end }: AddonOverview, now: Date): string | undefined {
  if (credential === 'none') return undefined
  return credential === 'valid' && end ? left(end, now) : credential
}

/** The add-ons of the fleet as text: for people, or for programs. */
export async function showAddons(asked: ShowAddons, { clock, signal }: CommandDeps): Promise<string> {
  const { kube, names, cluster, output, called } = asked
  const now = clock.now()
  const found = await readAddons(kube, { now, signal, ...(cluster !== undefined && { cluster }) })
  const known = new Set(found.map(({ addon }) => addon))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) throw failures.ADDON_NOWHERE({ addon: unknown })
  const rows = found.filter(({ addon }) => names.length === 0 || names.includes(addon))
  if (output === 'json' || output === 'yaml') return formatData(output, rows)
  if (rows.length === 0)
    return `No add-ons${cluster === undefined ? '' : ` on ${cluster}`} yet. \`${called} addon enable NAME --clusters ${cluster ?? 'CLUSTER'}\` adds one.\n`
  return formatTable(addonColumns(now), rows, output === 'wide')
}
