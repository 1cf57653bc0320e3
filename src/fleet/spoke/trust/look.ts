import { isFailure } from '../../../core/failure.ts'
import type { Reason } from '../../../core/reason.ts'
import { meanings } from '../../../core/reason.ts'
import { systemRoots } from '../../../kube/client/identity.ts'
import { trustReasons } from '../../../pki/index.ts'
import { failures } from '../failures.ts'
import type { Captured } from './capture.ts'
import { captureChain } from './capture.ts'
import type { TrustDeps } from './deps.ts'
import type { Judgement } from './judge.ts'
import { judge } from './judge.ts'

export interface Look {
  readonly captured: Captured
  readonly judgement: Judgement
}

/** Sees what a server shows, and judges it. Throws as `captureChain` does. */
export async function lookAt(
  server: string,
  { clock, settings, roots = systemRoots }: Pick<TrustDeps, 'clock' | 'settings' | 'roots'>,
  signal?: AbortSignal,
): Promise<Look> {
  const captured = await captureChain(server, { clock, egress: settings().egress, signal })
  try {
    return { captured, judgement: judge(captured, { roots: roots(), now: clock.now() }) }
  } catch (error) {
    if (!isFailure(error) || !error.code.startsWith('PKI_')) throw error
    throw failures.SPOKE_TRUST_FAILED({ server, detail: error.message }, error)
  }
}

const meaningOf: Readonly<Record<string, string>> = trustReasons[meanings]

export const faultText = (fault: Reason): string => `${fault}, ${meaningOf[fault]}`
