import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { requeueAfter } from '../../../core/outcome.ts'
import type { Random } from '../../../core/random.ts'
import { failures } from './failures.ts'
import type { Step } from './hub-plan.ts'
import type { EksCluster } from './names.ts'
import { managedRoleArn } from './names.ts'

/** IAM tells its parts, and EKS, of a change within seconds. */
const settleMs = 5_000
/** After the SDK's own tries. */
const slowDownMs = 30_000
/** By then EKS knows every role there is, and IAM agrees with itself. */
const longestUnknownMs = 120_000
/** What AWS itself changes is changed by then; whatever holds it longer is told. */
const longestConflictMs = 60_000
/** An account that is throttled for longer has somebody who asks too much. */
const longestThrottledMs = 300_000

/** What makes two setbacks the same: AWS asks to slow down whatever is being done. */
export const kindOf = (error: unknown, step: Step | undefined): string => {
  const code = isFailure(error) ? error.code : undefined
  return code === 'AWS_THROTTLED' ? code : `${step?.step} ${code}`
}

export interface Setback {
  error: unknown
  /** What was being done; undefined while nothing was changed yet. */
  step?: Step
  hub: EksCluster
  managed?: EksCluster
  /** Milliseconds since the role was made. */
  roleAgeMs: number
  /** Milliseconds for which this very setback has been met at every try. */
  sinceMs: number
}

/** A wait where AWS needs seconds, drawn at random as all waits are. */
export const untilSettled = (random: Random): Outcome => wait(settleMs, random)

/** Between once and twice as long. */
export const wait = (ms: number, random: Random): Outcome => requeueAfter(Math.round(ms * (1 + random.fraction())))

/**
 * What becomes of a pass that AWS did not let end: a wait where AWS only needs time, drawn at random so that a fleet
 * does not come back in step; otherwise a failure that says what to do, which is tried again with back-off.
 */
export function afterSetback({ error, step, ...about }: Setback, random: Random): Outcome {
  if (!isFailure(error)) throw error
  if (error.code === 'AWS_THROTTLED' && about.sinceMs < longestThrottledMs) return wait(slowDownMs, random)
  if (!step) throw error
  if (isStillSpreading(error, step.step, about)) return untilSettled(random)
  throw inWords(error, step, about)
}

/** What was there a moment ago is not, or the other way round: the next look will be better. */
function isStillSpreading(
  error: Failure,
  step: Step['step'],
  { roleAgeMs, sinceMs }: Pick<Setback, 'roleAgeMs' | 'sinceMs'>,
): boolean {
  switch (error.code) {
    case 'AWS_NOT_FOUND':
    case 'AWS_ALREADY_THERE':
      return sinceMs < longestUnknownMs
    case 'AWS_CONFLICT':
      return !isHeld(error) && sinceMs < longestConflictMs
    default:
      return isUnknownToEks(error, step) && roleAgeMs < longestUnknownMs
  }
}

/** Something of others is attached to a role that should go. */
const isHeld = ({ params }: Failure): boolean => isNamed(params['code'], 'DeleteConflict')

/** EKS calls a principal that it does not know, or does not know yet, a wrong parameter. */
const isUnknownToEks = ({ code, params }: Failure, step: Step['step']): boolean =>
  code === 'AWS_INVALID' && step === 'map' && isNamed(params['code'], 'InvalidParameter')

function inWords(
  error: Failure,
  step: Step,
  { hub, managed, roleAgeMs }: Omit<Setback, 'error' | 'step' | 'sinceMs'>,
): Failure {
  const writesTrust = step.step === 'create-role' || step.step === 'write-trust'
  if (managed && writesTrust && isNamed(error.params['code'], 'MalformedPolicyDocument'))
    return failures.AWS_MANAGED_ROLE_MISSING({ principal: managedRoleArn(hub, managed) }, error)
  if (isUnknownToEks(error, step.step))
    return failures.AWS_ROLE_UNKNOWN_TO_EKS({ hub: hub.arn, seconds: Math.round(roleAgeMs / 1_000) }, error)
  if (step.step === 'remove-role' && isHeld(error)) return failures.AWS_ROLE_IN_USE({ role: step.role }, error)
  return error
}

const isNamed = (code: unknown, name: string): boolean => code === name || code === `${name}Exception`
