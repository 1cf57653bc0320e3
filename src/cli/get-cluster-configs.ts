import type { Kube } from '../kube/kube.ts'
import { failures } from '../reach/operations/failures.ts'
import type { ClusterConfigOverview } from '../reach/overview/cluster-config-overview.ts'
import { clusterConfigOverview } from '../reach/overview/cluster-config-overview.ts'
import type { PendingAsk } from '../reach/overview/pending-asks.ts'
import { readPendingAsks } from '../reach/overview/pending-asks.ts'
import { readClusterConfigs } from '../reach/overview/read-cluster-configs.ts'
import type { Called } from './called.ts'
import { inCalledForm } from './called.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OutputFormat } from './output.ts'
import { formatData } from './output.ts'
import type { TableColumn } from './table.ts'
import { formatSpan, formatTable } from './table.ts'

export interface ShowClusterConfigs {
  kube: Kube
  /** Empty: all. */
  names: readonly string[]
  output: OutputFormat
  called: Called
}

/** What people ask of a way into a cluster at a glance. */
const columns = (now: Date, isWide: boolean): readonly TableColumn<ClusterConfigOverview>[] => [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'READY', cell: ({ ready }) => ready },
  { heading: 'REASON', cell: ({ reason }) => reason },
  { heading: 'AUTH', cell: ({ auth }) => auth },
  { heading: 'SERVER', cell: ({ server }) => server },
  { heading: 'FINGERPRINT', cell: ({ fingerprint }) => (isWide ? fingerprint : fingerprint && shortOf(fingerprint)) },
  { heading: 'PERMISSIONS', cell: ({ permissions }) => permissions },
  { heading: 'AGE', cell: ({ createdAt }) => formatSpan(now.getTime() - createdAt.getTime()) },
  { heading: 'NAMESPACE', cell: ({ namespace }) => namespace, wide: true },
  { heading: 'TRUST', cell: ({ trust }) => trust, wide: true },
  { heading: 'OFFERED', cell: ({ offeredFingerprint: offered }) => offered && shortOf(offered), wide: true },
  { heading: 'WARNINGS', cell: ({ warnings }) => warnings.join(','), wide: true },
  { heading: 'ISSUER', cell: ({ issuer, identityProvider }) => issuer ?? identityProvider, wide: true },
  { heading: 'MADE BY', cell: ({ madeBy }) => madeBy, wide: true },
  { heading: 'MESSAGE', cell: ({ message }) => message, wide: true },
]

/** Enough to see that two differ; whoever confirms one compares it whole. */
const shortOf = (fingerprint: string): string => `${fingerprint.split(':').slice(0, 4).join(':').slice(0, 16)}…`

const noneYet = 'The hub has no way into any cluster yet. `lanyard reach add --help` tells how to give it one.\n'

const pendingLines = (asks: readonly PendingAsk[]): string =>
  asks.map(({ name, message }) => `${name}: ${message}\n`).join('')

/** The ways into clusters as text: for people, or for programs. */
export async function showClusterConfigs(
  { kube, names, output, called }: ShowClusterConfigs,
  { clock, signal }: CommandDeps,
): Promise<string> {
  const configs = await readClusterConfigs(kube, { signal })
  const found = configs.map(clusterConfigOverview)
  const asked = await readPendingAsks(kube, configs, { signal })
  const unknown = names.find((wanted) => ![...found, ...asked].some(({ name }) => name === wanted))
  if (unknown !== undefined) throw failures.REACH_UNKNOWN({ name: unknown })
  const isWanted = ({ name }: { name: string }) => names.length === 0 || names.includes(name)
  const [rows, pending] = [found.filter(isWanted), asked.filter(isWanted)]
  if (output === 'json' || output === 'yaml') return formatData(output, [...rows, ...pending])
  const isWide = output === 'wide'
  const table = rows.length > 0 ? formatTable(columns(clock.now(), isWide), rows, isWide) : ''
  return `${table}${pendingLines(pending)}` || inCalledForm(noneYet, called)
}
