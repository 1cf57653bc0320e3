import type { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Stored } from '../../../kube/objects.ts'
import { trustReasons } from '../../../pki/index.ts'
import type { OidcWay, Trust } from '../contract.ts'
import { failures } from '../failures.ts'
import type { TrustDeps } from './deps.ts'
import { whyNotVouchedFor } from './judge.ts'
import { faultText, lookAt } from './look.ts'

/** Another key behind the same name, as a CA that was made anew has it, shows as a wrong signature. */
const isOther = new Set([trustReasons.IssuerUnknown, trustReasons.SignatureInvalid])

/**
 * Why a call was given up with KUBE_UNTRUSTED, learnt by one look at the server: SPOKE_TRUST_CHANGED where it shows
 * another CA than the one that was trusted on first use, SPOKE_UNVOUCHED where nobody vouches for it, SPOKE_UNREACHABLE
 * for all else. Changes nothing; a confirmation counts when the cluster is opened again. Throws the signal's reason only.
 */
export async function explainDistrust(
  config: Stored<ClusterConfig>,
  { server }: OidcWay,
  trust: Trust,
  deps: TrustDeps,
  signal?: AbortSignal,
): Promise<Failure> {
  try {
    const { captured, judgement } = await lookAt(server, deps, signal)
    const unreachable = (detail: string) => failures.SPOKE_UNREACHABLE({ server, detail })
    if ('fault' in judgement) return unreachable(`its certificate is at fault: ${faultText(judgement.fault)}`)
    const { fingerprint: offered } = judgement.offer
    const cluster = config.metadata.name
    if (trust.source === 'System') return failures.SPOKE_UNVOUCHED({ server, cluster, offered })
    const why = trust.ca === undefined ? undefined : whyNotVouchedFor(captured, trust.ca, deps.clock.now())
    if (why === undefined) return unreachable('its certificate was not trusted a moment ago, and is good by now')
    if (trust.source === 'FirstUse' && isOther.has(why))
      return failures.SPOKE_TRUST_CHANGED({ server, cluster, offered, fingerprint: trust.fingerprint })
    return unreachable(`the CA with SHA-256 ${trust.fingerprint} does not vouch for it: ${faultText(why)}`)
  } catch (error) {
    if (!isFailure(error)) throw error
    return error
  }
}
