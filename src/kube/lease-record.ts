import type { Lease, LeaseSpec } from 'kubernetes-types/coordination/v1.d.ts'

/** Kubernetes' MicroTime: six digits after the second, no more and no fewer. */
export const microTime = (date: Date): string => date.toISOString().replace('Z', '000Z')

/** Who holds it. Undefined: nobody, or there is no lease. */
export const holderOf = (lease: Lease | undefined): string | undefined => lease?.spec?.holderIdentity || undefined

/** The lease as `holder` writes it to take or to keep it. Taking counts a transition, keeping does not. */
export function heldBy(holder: string, lease: Lease | undefined, now: Date, durationMs: number): LeaseSpec {
  const { acquireTime = microTime(now), leaseTransitions = 0 } = lease?.spec ?? {}
  const isKept = holderOf(lease) === holder
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    acquireTime: isKept ? acquireTime : microTime(now),
    renewTime: microTime(now),
    leaseTransitions: isKept || !lease?.spec ? leaseTransitions : leaseTransitions + 1,
  }
}

/** The lease as its holder writes it to let go: free at once, even for those who do not look at the holder. */
export const released = (lease: Lease, now: Date): LeaseSpec => ({
  holderIdentity: '',
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
  leaseTransitions: lease.spec?.leaseTransitions ?? 0,
})

/** How long its holder may be silent before another may take it. */
export const durationMsOf = (lease: Lease | undefined, otherwise: number): number =>
  (lease?.spec?.leaseDurationSeconds ?? otherwise / 1_000) * 1_000
