import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { User } from './user.ts'
import { credentialIdKey } from './verdict.ts'

export interface Reference {
  readonly name: string
  readonly uid: string
}

/** What a token stands and falls with. The node of a pod is only told: it need not be there. */
export interface BoundTo {
  readonly namespace: string
  readonly serviceaccount: Reference
  readonly pod?: Reference | undefined
  readonly secret?: Reference | undefined
  readonly node?: { readonly name: string; readonly uid?: string | undefined } | undefined
}

const invalidated = 'service account token has been invalidated'

/** Why the token counts no more, in the words of Kubernetes. What was deleted before `deletedBefore` (seconds) is gone. */
export function whyRevoked(bound: BoundTo, store: Pick<Store, 'get'>, deletedBefore: number): string | undefined {
  const { namespace, serviceaccount: account, secret, pod, node } = bound
  if (account.name === '') return 'resource name may not be empty'
  const find = (storage: string, name: string, within = namespace) => stateOf(store, storage, within, name)
  const isGone = (found: Found) => found.deletedAt !== undefined && found.deletedAt < deletedBefore

  const held = find('serviceaccounts', account.name)
  if (!held) return `serviceaccounts ${JSON.stringify(account.name)} not found`
  if (isGone(held)) return `service account ${namespace}/${account.name} has been deleted`
  if (held.uid !== account.uid) return `service account UID (${held.uid}) does not match claim (${account.uid})`

  const anchors: readonly (readonly [what: string, found: Found | undefined, uid: string | undefined])[] = [
    ...(secret ? [['secret', find('secrets', secret.name), secret.uid] as const] : []),
    ...(pod ? [['pod', find('pods', pod.name), pod.uid] as const] : []),
    ...(node && !pod ? [['node', find('nodes', node.name, ''), node.uid] as const] : []),
  ]
  for (const [what, found, uid] of anchors) {
    if (!found || isGone(found)) return invalidated
    if (found.uid !== uid) return `${what} UID (${found.uid}) does not match service account ${what} ref claim (${uid})`
  }
  return undefined
}

interface Found {
  readonly uid: string
  readonly deletedAt: number | undefined
}

function stateOf(store: Pick<Store, 'get'>, storage: string, namespace: string, name: string): Found | undefined {
  const entry = store.get(storage, namespace, name)
  if (!entry) return undefined
  const { uid = '', deletionTimestamp } = parsed(entry).metadata
  return { uid, deletedAt: deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp) / 1000 }
}

const key = (name: string) => `authentication.kubernetes.io/${name}`

/** What the user behind a token is told to be besides the account. */
export function extraOf({ pod, node }: BoundTo, jti: string): Pick<User, 'extra'> {
  const extra: Record<string, string[]> = {
    ...(jti && { [credentialIdKey]: [`JTI=${jti}`] }),
    ...(node && { [key('node-name')]: [node.name] }),
    ...(node?.uid && { [key('node-uid')]: [node.uid] }),
    ...(pod && { [key('pod-name')]: [pod.name], [key('pod-uid')]: [pod.uid] }),
  }
  return Object.keys(extra).length > 0 ? { extra } : {}
}
