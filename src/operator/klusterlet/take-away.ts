import { removeAddonSecrets, whyLeft } from '../../addons/operations/remove-secrets.ts'
import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { removeAgent } from '../../registration/operations/remove-agent.ts'
import { isMadeFor } from '../apply.ts'
import type { OperatorDeps } from '../deps.ts'
import { reasons } from '../reasons.ts'
import type { KlusterletView } from './view.ts'

export interface TakingAway {
  klusterlet: Stored<Klusterlet>
  /** The namespace of its agent. */
  home: string
  deps: OperatorDeps
  view: KlusterletView
  signal: AbortSignal
}

/**
 * The agent, what it kept, what it was allowed, and its namespace if that was made for this Klusterlet and no other one
 * wants it. Repeats well.
 */
export async function takeAway({ klusterlet, home, deps, view, signal }: TakingAway): Promise<void> {
  const { kube, clock, settings, events } = deps
  const { uid } = klusterlet.metadata
  const choices = { timeoutMs: settings.removalMs, leaveNamespace: true }
  const onLeft = (secret: Parameters<typeof whyLeft>[0]) =>
    events.record(Klusterlet.resource, klusterlet, {
      type: 'Warning',
      reason: reasons.AddonSecretLeft,
      message: `The operator has ${whyLeft(secret)}.`,
    })
  for await (const _ of removeAgent(home, { kube, clock, signal }, choices));
  for await (const _ of removeAddonSecrets(home, { kube, signal, onLeft }));
  const isWanted = view.inNamespace(home).some(({ metadata }) => metadata?.uid !== uid && !metadata?.deletionTimestamp)
  if (!isWanted && (await isMadeFor(kube, home, uid, signal))) await kube.of(namespaces).delete(home, { signal })
}
