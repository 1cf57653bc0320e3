import { timingSafeEqual } from 'node:crypto'
import type { Secret as KubeSecret } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { webhookTokenLabel } from '../names.ts'
import type { BindingDeps } from './binding.ts'
import { tokenBinding } from './binding.ts'
import type { TokenDigest } from './record.ts'
import { digestBytes, isGood, recordOf } from './record.ts'

export interface WebhookTokens {
  readonly run: Run
  /** Whether the token is one of this cluster's and good now, compared in constant time. */
  isOf(cluster: string, token: string): boolean
  /** As an informer has them. */
  readonly heardAt: Date | undefined
  check(): Promise<void>
}

export interface WatchedTokensDeps {
  kube: Kube
  namespace: string
  clock: Clock
  random: Random
  log: Log
  spokeView: BindingDeps['spokeView']
}

/** Longer ones are not even digested: what a stranger sends must not cost much. */
const longestToken = 256

/** The digests on record, kept up to date. */
export function webhookTokens(deps: WatchedTokensDeps): WebhookTokens {
  const { kube, namespace, clock, random, log } = deps
  const { configs } = deps.spokeView
  const watched = informer(kube.of(secrets, namespace), {
    ...{ clock, random, log: log.child({ kind: 'Secret' }) },
    labelSelector: webhookTokenLabel,
    transform: withoutManagedFields,
  })
  const known = new Map<string, KnownRecord>()
  watched.on((change) => {
    const before = recordOf(change.type === 'updated' ? change.previous : change.object)
    if (before) known.delete(before.cluster)
    if (change.type === 'deleted') return
    const record = recordOf(change.object)
    if (record) known.set(record.cluster, { uid: record.uid, tokens: record.tokens.map(knownOf) })
    else log.warn(nameOf(change.object), 'a Secret with the label of webhook tokens holds none')
  })

  const binding = tokenBinding(watched, deps)
  const current = new Map<string, readonly string[]>()
  configs.on(({ type, object: { metadata } }) => {
    if (type === 'updated') return
    const uids = configs.byIndex('name', metadata.name).map((config) => config.metadata.uid)
    if (uids.length > 0) current.set(metadata.name, uids)
    else current.delete(metadata.name)
  })
  /** Where there is no such cluster it may be told that: nothing is granted there. */
  const isForCurrent = (cluster: string, { uid }: KnownRecord): boolean => {
    const uids = current.get(cluster)
    return !uids || (uid !== undefined && uids.includes(uid))
  }

  return {
    run: (signal) => runTogether(signal, [watched.run, binding.run]),
    get heardAt() {
      return watched.heardAt
    },
    check: () => watched.check(),
    isOf(cluster, token) {
      const record = known.get(cluster)
      if (!record || token.length > longestToken || !isForCurrent(cluster, record)) return false
      const given = Buffer.from(token)
      const now = clock.now()
      if (record.tokens.some((one) => one.shown && isSame(one.shown, given) && isGood(one, now))) return true
      const digest = digestBytes(token)
      let is = false
      // All of them are compared, whichever it is: how long it takes tells nothing.
      for (const one of record.tokens)
        if (timingSafeEqual(one.bytes, digest)) {
          one.shown = given
          is = isGood(one, now)
        }
      return is
    },
  }
}

interface KnownRecord {
  readonly uid: string | undefined
  readonly tokens: readonly Known[]
}
interface Known extends TokenDigest {
  readonly bytes: Buffer
  /**
   * The token itself, once somebody has shown it: every question of every cluster shows one, and a digest is dear beside
   * the answer to the commonest. In memory only, where each request has it anyway.
   */
  shown?: Buffer
}
const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
const knownOf = (token: TokenDigest): Known => ({ ...token, bytes: Buffer.from(token.digest, 'hex') })

const nameOf = ({ metadata: { namespace, name } }: Stored<KubeSecret>) => ({ namespace, name })
