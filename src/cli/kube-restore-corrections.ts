/** What ends when a backup comes back, because it may have been revoked since: the product's part of it. */
import type { Session } from '../access/sessions/index.ts'
import { endedByRestore } from '../access/sessions/index.ts'
import type { TokenRecord } from '../access/webhook-tokens/index.ts'
import { tokenRecordOf } from '../access/webhook-tokens/index.ts'
import { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import type { Correction } from '../embedded/care/index.ts'
import { bootstrapTokens, correctionOf, objectOf, serviceAccountTokens } from '../embedded/care/index.ts'

export interface Kept {
  keepSessions?: boolean
  keepTokens?: boolean
  revokeWebhookTokens?: boolean
}

export const correctionsFor = ({ keepSessions, keepTokens, revokeWebhookTokens }: Kept): Correction[] => [
  ...(keepSessions ? [] : [sessions]),
  ...(keepTokens ? [] : [bootstrapTokens, serviceAccountTokens]),
  webhookTokens(revokeWebhookTokens === true),
]

const { plural, group } = BreakglassSession.resource

const sessions = correctionOf('sessions', `${plural}.${group}`, (object, { now }) => {
  const session = object as unknown as Session
  const ended = endedByRestore(session, now)
  return ended === session ? object : { ...object, ...ended }
})

type Objects = Parameters<Correction['apply']>[0]

/** Without its token an API server gets no answer of the hub, until its files are replaced: so they stay by default. */
const webhookTokens = (areRevoked: boolean): Correction => ({
  ends: 'webhook tokens',
  apply(objects, { before }) {
    const found = recordsIn(objects)
    const entries = areRevoked ? [...found.values()].map(({ entry }) => entry) : []
    return {
      changed: new Map(entries.map((entry) => [entry, undefined])),
      ended: entries,
      warnings: [...new Set(areRevoked ? revokedWarnings(found) : keptWarnings(found, before && recordsIn(before)))],
    }
  },
})

/** By namespace and cluster: which namespace is the hub's is not known here, and Secrets of others may look like its own. */
type Records = ReadonlyMap<string, { readonly entry: Objects[number]; readonly record: TokenRecord }>

const recordsIn = (objects: Objects): Records =>
  new Map(
    objects.flatMap((entry) => {
      const record =
        entry.storage === 'secrets' ? tokenRecordOf(objectOf(entry) as Parameters<typeof tokenRecordOf>[0]) : undefined
      return record ? [[`${entry.namespace}/${record.cluster}`, { entry, record }] as const] : []
    }),
  )

/** Names go into commands to copy, and one that no ClusterConfig can have gives no access. */
const isName = (cluster: string): boolean => /^[a-z0-9][a-z0-9.-]*$/.test(cluster)

const clustersOf = (records: Records): string[] =>
  [...new Set([...records.values()].map(({ record }) => record.cluster))].filter(isName).sort()

const another = (cluster: string) => `lanyard access webhook-config ${cluster} --rotate`

const revokedWarnings = (found: Records): string[] =>
  clustersOf(found).map(
    (cluster) => `${cluster} gets no answers of the hub until it has a new token: ${another(cluster)}`,
  )

/** `before`: as they were until now, where that is known. */
function keptWarnings(found: Records, before: Records | undefined): string[] {
  if (!before)
    return clustersOf(found).length === 0
      ? []
      : [
          `webhook tokens are those of the backup, of ${clustersOf(found).join(', ')}; which were made, rotated or revoked since is not known here: rotate those (lanyard access webhook-config CLUSTER --rotate)`,
        ]
  const places = [...new Set([...found.keys(), ...before.keys()])].sort()
  return places.flatMap((place) => {
    const [then, last] = [found.get(place)?.record, before.get(place)?.record]
    const cluster = then?.cluster ?? last?.cluster ?? ''
    if (!isName(cluster)) return []
    if (!then)
      return [
        `the webhook token of ${cluster} was made after the backup, and is not known any more: ${another(cluster)}`,
      ]
    if (!last)
      return [`the webhook token of ${cluster} was revoked after the backup, and is good again: ${another(cluster)}`]
    if (JSON.stringify(then.tokens) === JSON.stringify(last.tokens)) return []
    return [
      `the webhook token of ${cluster} was rotated after the backup: the one before is good again, the newer one is not known: ${another(cluster)}`,
    ]
  })
}
