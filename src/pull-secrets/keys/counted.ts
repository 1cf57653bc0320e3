import type { Metrics } from '../../core/metrics.ts'
import type { TokenVault } from './vault.ts'

/** The same vault; what it cannot open is counted, for somebody to be told: nothing else repairs it. */
export function counted(vault: TokenVault, metrics: Metrics): TokenVault {
  const unreadable = metrics.counter('lanyard_pull_tokens_unreadable_total', 'Tokens that no key of the ring opens')
  return {
    get activeKeyId() {
      return vault.activeKeyId
    },
    get keyIds() {
      return vault.keyIds
    },
    seal: vault.seal,
    open(owner, sealed) {
      try {
        return vault.open(owner, sealed)
      } catch (error) {
        unreadable.inc()
        throw error
      }
    },
  }
}
