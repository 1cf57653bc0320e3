import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { sleep } from '../../core/clock.ts'
import type { ConditionStatus } from '../../core/conditions.ts'
import type { Step } from '../../core/step.ts'
import { pinSecret, spokeAnnotations } from '../../fleet/spoke/names.ts'
import { readFingerprint } from '../../fleet/spoke/trust/fingerprint.ts'
import type { CallOptions, Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { clusterConfigOverview } from '../overview/cluster-config-overview.ts'
import { findClusterConfig } from '../overview/read-cluster-configs.ts'
import { isAnswered } from './check.ts'
import type { ReachOperationDeps } from './deps.ts'
import { failures } from './failures.ts'

/** How the API server of a cluster is trusted, as the hub last saw it. */
export interface TrustOverview {
  readonly cluster: string
  readonly namespace: string
  readonly server?: string
  /** Unknown: nobody has looked since it was last changed. */
  readonly ready: ConditionStatus
  readonly reason?: string
  readonly message?: string
  /** Undefined: nobody has looked yet, or nobody got far enough. */
  readonly source?: string
  /** On record. */
  readonly fingerprint?: string
  /** Shown by the API server, and confirmed by nobody. */
  readonly offered?: string
  /** Confirmed by a person, and not followed yet. */
  readonly confirmed?: string
}

export async function readTrust(
  kube: Kube,
  name: string,
  options: CallOptions & { namespace?: string | undefined } = {},
): Promise<TrustOverview> {
  return trustIn(await findClusterConfig(kube, name, options))
}

export function trustIn(config: Stored<ClusterConfig>): TrustOverview {
  const found = clusterConfigOverview(config)
  const { name, namespace, server, ready, reason, message, trust, fingerprint, offeredFingerprint } = found
  const confirmed = readFingerprint(config.metadata.annotations?.[spokeAnnotations.trustedFingerprint] ?? '')
  return {
    ...{ cluster: name, namespace },
    ...(server !== undefined && { server }),
    ready,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(trust !== undefined && { source: trust }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(offeredFingerprint !== undefined && { offered: offeredFingerprint }),
    ...(confirmed !== undefined && { confirmed }),
  }
}

export interface TrustWish {
  name: string
  namespace?: string | undefined
  /** As people write it, see `readFingerprint`. */
  fingerprint: string
  /** Undefined: nobody waits. */
  timeoutMs: number | undefined
}

const everyMs = 100

/**
 * Tells the hub that a person compared this fingerprint with that of the cluster's CA, and waits until the hub trusts
 * it. Repeats well. One that the cluster does not show yet counts as soon as it does.
 */
export async function* confirmTrust(wish: TrustWish, deps: ReachOperationDeps): AsyncGenerator<Step> {
  const { name, namespace, timeoutMs } = wish
  const { kube, clock, signal } = deps
  const fingerprint = readFingerprint(wish.fingerprint)
  if (fingerprint === undefined) throw failures.REACH_FINGERPRINT_INVALID()
  yield { doing: `confirming the CA of ${name}` }
  const before = await findClusterConfig(kube, name, { signal, namespace })
  mustBeAsked(before)
  const trusted = { did: `the hub trusts the CA of ${name}`, detail: `SHA-256 ${fingerprint}` }
  if (isTrusted(before, fingerprint)) return yield { ...trusted, did: `${trusted.did} already` }
  const configs = kube.of(ClusterConfig.resource, before.metadata.namespace)
  const annotations = {
    [spokeAnnotations.trustedFingerprint]: fingerprint,
    [spokeAnnotations.checkRequestedAt]: clock.now().toISOString(),
  }
  let config = await configs.patch(name, { type: 'merge', body: { metadata: { annotations } } }, { signal })
  yield { did: `noted: the hub trusts this CA once ${name} shows it`, detail: `SHA-256 ${fingerprint}` }
  if (timeoutMs === undefined) return
  yield { doing: `the hub looks at ${name}` }
  const giveUpAt = clock.now().getTime() + timeoutMs
  while (!isTrusted(config, fingerprint) && !isAnswered(config)) {
    if (clock.now().getTime() > giveUpAt)
      throw failures.REACH_HUB_SILENT({ name, seconds: Math.round(timeoutMs / 1_000) })
    await sleep(clock, everyMs, signal)
    config = await configs.get(name, { signal })
  }
  if (!isTrusted(config, fingerprint)) return yield otherShown(config, fingerprint)
  yield trusted
  yield readyStep(config)
}

/** Takes a confirmation back that the hub has not followed yet. Repeats well. */
export async function* withdrawTrust(
  { name, namespace }: Pick<TrustWish, 'name' | 'namespace'>,
  { kube, signal }: ReachOperationDeps,
): AsyncGenerator<Step> {
  yield { doing: `taking back what was confirmed of ${name}` }
  const { metadata } = await findClusterConfig(kube, name, { signal, namespace })
  const confirmed = metadata.annotations?.[spokeAnnotations.trustedFingerprint]
  if (confirmed === undefined) return yield { did: `no CA of ${name} waits to be trusted` }
  const body = { metadata: { annotations: { [spokeAnnotations.trustedFingerprint]: null } } }
  await kube.of(ClusterConfig.resource, metadata.namespace).patch(name, { type: 'merge', body }, { signal })
  yield { did: `the confirmation for ${name} is taken back`, detail: `SHA-256 ${confirmed}` }
}

function readyStep(config: Stored<ClusterConfig>): Step {
  const { ready, reason, message } = clusterConfigOverview(config)
  return { did: `Ready is ${ready}`, ...(reason !== undefined && { detail: `${reason}: ${message}` }) }
}

const isTrusted = ({ status }: Stored<ClusterConfig>, fingerprint: string): boolean =>
  status?.tls?.fingerprint === fingerprint && status.tls.offeredFingerprint === undefined

/** Where another says whom to trust, a confirmation would change nothing. */
function mustBeAsked(config: Stored<ClusterConfig>): void {
  const { name, auth, trust } = clusterConfigOverview(config)
  const { caSecretRef, insecureSkipTLSVerify } = config.spec.oidcAuth ?? config.spec.oidcFromIdentityProvider ?? {}
  const refused = (where: string) => failures.REACH_TRUST_ELSEWHERE({ name, where })
  if (auth === 'Kubeconfig') throw refused('its kubeconfig; put the new one in there')
  if (insecureSkipTLSVerify) throw refused('nobody: insecureSkipTLSVerify is set; take that away first')
  const beside = { namespace: config.metadata.namespace, name: pinSecret(name) }
  const secret = caSecretRef ?? beside
  if (trust === 'Secret') throw refused(`Secret ${secret.namespace}/${secret.name}; put the new one in there`)
}

/** The hub has looked, and kept what it had. */
function otherShown(config: Stored<ClusterConfig>, fingerprint: string): Step {
  const { name, ready, reason, message } = clusterConfigOverview(config)
  const { offered } = trustIn(config)
  if (offered !== undefined && offered !== fingerprint) throw failures.REACH_OTHER_CA({ name, offered, fingerprint })
  if (ready !== 'True') throw failures.REACH_FAILED({ who: 'the hub', name, reason, message })
  return {
    did: `${name} does not show that CA yet`,
    detail: `the hub takes it over once it does; \`lanyard reach trust ${name} --withdraw\` takes that back`,
  }
}
