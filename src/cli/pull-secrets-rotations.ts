import type { Command } from 'commander'
import { failures } from './failures.ts'
import type { PullClient } from './pull-secrets-client.ts'
import { openService } from './pull-secrets-server.ts'
import type { ShowOptions } from './pull-secrets-show.ts'
import { print, show } from './pull-secrets-show.ts'
import type { RotationItem } from './pull-secrets-words.ts'
import { clusterPath } from './pull-secrets-words.ts'
import type { Stop } from './stop-signal.ts'
import { formatSpan } from './table.ts'

const done = { confirm: 'is confirmed: the old credentials go', cancel: 'is cancelled: the old credentials stay' }

export async function rotations(
  { cluster, verb, id }: { cluster: string; verb?: string; id?: string },
  options: ShowOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  if (verb !== undefined && verb !== 'confirm' && verb !== 'cancel') throw failures.PULL_ROTATION_VERB({ verb })
  const { client, deps } = await openService(command, stop)
  if (verb !== undefined) {
    const rotation = id ?? (await openRotation(client, cluster)).id
    const path = `${clusterPath(cluster)}/rotations/${encodeURIComponent(rotation)}/${verb}`
    const { body } = await client.call<RotationItem>('POST', path)
    if (options.output !== 'table') return show(options.output, [body], [])
    return print(`✔ the rotation ${rotation} ${done[verb]}\n`)
  }
  const rows = await client.all<RotationItem>(`${clusterPath(cluster)}/rotations`)
  if (rows.length === 0 && options.output === 'table') return print(`${cluster} has never been rotated.\n`)
  const now = deps.clock.now().getTime()
  show(options.output, rows, [
    { heading: 'ID', cell: ({ id: own }) => own },
    { heading: 'STATUS', cell: ({ status }) => status },
    { heading: 'PHASE', cell: ({ progress }) => progress?.phase },
    { heading: 'REASON', cell: ({ reason }) => reason },
    { heading: 'BY', cell: ({ requested_by: by }) => by },
    {
      heading: 'OLD ONES LIVE',
      cell: ({ grace_deadline_time: time, status }) =>
        time && status === 'in_progress' ? formatSpan(Date.parse(time) - now) : undefined,
    },
    { heading: 'AGE', cell: ({ created_time: time }) => formatSpan(now - Date.parse(time)) },
    { heading: 'TROUBLE', cell: ({ last_error: error }) => error },
  ])
}

async function openRotation(client: PullClient, cluster: string): Promise<RotationItem> {
  const all = await client.all<RotationItem>(`${clusterPath(cluster)}/rotations`)
  const open = all.find(({ status }) => status === 'pending' || status === 'in_progress')
  if (!open) throw failures.PULL_NO_OPEN_ROTATION({ cluster })
  return open
}
