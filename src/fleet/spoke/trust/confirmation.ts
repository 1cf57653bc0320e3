import { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import { isFailure } from '../../../core/failure.ts'
import { isConflict, isNotFound } from '../../../kube/failures.ts'
import type { Stored } from '../../../kube/objects.ts'
import { spokeAnnotations } from '../names.ts'
import type { TrustDeps } from './deps.ts'
import { readFingerprint } from './fingerprint.ts'

const annotation = spokeAnnotations.trustedFingerprint

/** The SHA-256 that a person vouches for. What is none is told in the log, and does not count. */
export function confirmedOn({ metadata }: Stored<ClusterConfig>, log: TrustDeps['log']): string | undefined {
  const text = metadata.annotations?.[annotation]
  if (text === undefined) return undefined
  const fingerprint = readFingerprint(text)
  if (fingerprint === undefined) log.warn({ annotation }, 'the annotation is no SHA-256 of 64 hex digits')
  return fingerprint
}

/** Takes the confirmation away once it was followed, unless it is another one by now. That it stays harms nobody. */
export async function takeAwayConfirmation(
  { metadata: { namespace, name, annotations = {} } }: Stored<ClusterConfig>,
  { kube, log }: Pick<TrustDeps, 'kube' | 'log'>,
  signal?: AbortSignal,
): Promise<void> {
  const configs = kube.of(ClusterConfig.resource, namespace)
  const options = signal ? { signal } : {}
  try {
    const found = await configs.find(name, options)
    if (!found || found.metadata.annotations?.[annotation] !== annotations[annotation]) return
    const { resourceVersion } = found.metadata
    const body = { metadata: { resourceVersion, annotations: { [annotation]: null } } }
    await configs.patch(name, { type: 'merge', body }, options)
  } catch (error) {
    if (isConflict(error) || isNotFound(error) || isFailure(error, 'KUBE_READ_ONLY')) return
    if (signal?.aborted) throw error
    log.warn({ err: error, annotation }, 'a confirmation was followed and cannot be taken away')
  }
}
