import type { Situation } from './status.ts'

export interface StatusCondition {
  type: 'Available' | 'Applied' | 'Health' | 'Finalized'
  status: 'True' | 'False' | 'Unknown'
  reason: string
  message: string
}

type Verdict = readonly [status: StatusCondition['status'], reason: string, message: string]

const healthy: Verdict = ['True', 'Healthy', 'no registry is in trouble']

interface Verdicts {
  available: Verdict
  applied: Verdict
  health?: Verdict
  finalized?: Verdict
}

/** What the HyperFleet API is told in each situation. The first three conditions must be in every report. */
const told: Readonly<Record<Situation, Verdicts>> = {
  absent: {
    available: ['False', 'NotRequested', 'nobody has asked for a pull secret yet'],
    applied: ['False', 'NotRequested', 'nobody has asked for a pull secret yet'],
  },
  creating: {
    available: ['False', 'Creating', 'registry accounts are being made'],
    applied: ['False', 'Creating', 'registry accounts are being made'],
  },
  delivered: {
    available: ['True', 'Delivered', 'the pull secret is served'],
    applied: ['True', 'Delivered', 'the pull secret is served'],
  },
  // What is served stays served while its successor is made.
  rotating: {
    available: ['True', 'Rotating', 'the pull secret is served, and a rotation is under way'],
    applied: ['True', 'Rotating', 'the pull secret is served, and a rotation is under way'],
  },
  'registry-unavailable': {
    available: ['False', 'RegistryUnavailable', 'a registry cannot be used, and no complete pull secret is there yet'],
    applied: ['False', 'RegistryUnavailable', 'a registry cannot be used, and no complete pull secret is there yet'],
    health: ['False', 'RegistryUnavailable', 'a registry cannot be used at present; it is tried again'],
  },
  suspended: {
    available: ['False', 'Suspended', 'the cluster is suspended'],
    applied: ['True', 'Suspended', 'the suspension is in force'],
  },
  resuming: {
    available: ['False', 'Resuming', 'registry accounts are being brought back'],
    applied: ['False', 'Resuming', 'registry accounts are being brought back'],
  },
  deleting: {
    available: ['False', 'Deleting', 'registry accounts are being removed'],
    applied: ['False', 'Deleting', 'registry accounts are being removed'],
    finalized: ['False', 'Deleting', 'registry accounts are being removed'],
  },
  deleted: {
    available: ['False', 'Deleted', 'nothing of the pull secret is left'],
    applied: ['True', 'Deleted', 'nothing of the pull secret is left'],
    finalized: ['True', 'Deleted', 'nothing of the pull secret is left'],
  },
}

/** An outage leaves what is served alone; a rotation that cuts the old first does not. */
function servedAs(situation: Situation, isServed: boolean): Situation {
  if (situation === 'registry-unavailable' && isServed) return 'delivered'
  return situation === 'rotating' && !isServed ? 'creating' : situation
}

/** @param isServed a complete document is there, whatever else goes wrong */
export function conditionsOf(situation: Situation, isServed: boolean): readonly StatusCondition[] {
  const verdicts = told[situation]
  const { available, applied } = told[servedAs(situation, isServed)]
  const condition = (type: StatusCondition['type'], [status, reason, message]: Verdict): StatusCondition => ({
    type,
    status,
    reason,
    message,
  })
  return [
    condition('Available', available),
    condition('Applied', applied),
    condition('Health', verdicts.health ?? healthy),
    ...(verdicts.finalized ? [condition('Finalized', verdicts.finalized)] : []),
  ]
}
