import type { AwsCall } from './contract.ts'
import type { RefusalName } from './refusals.ts'

/** What goes wrong with the calls that match, in the order they come; used up after `times` (default 1, Infinity for good). */
export interface AwsFault {
  /** `CreateRole`. Default: any. */
  action?: string
  times?: number
  do: /** In place of the effect: a code as AWS words it, with its status. */
    | { code: string; status?: number; message?: string }
    /** In place of the effect: a row of the table of refusals. */
    | { refuse: RefusalName }
    | 'throttle'
    /** The connection is cut, nothing happens. */
    | 'drop'
    /** The effect happens, the answer is lost. */
    | 'lose-answer'
    | { delayMs: number }
    /** Told before the effect, which waits for it: where a test kills the caller. */
    | { before: (call: AwsCall) => void | Promise<void> }
    /** Told after the effect, before the answer. */
    | { after: (call: AwsCall) => void | Promise<void> }
}

export interface AwsLags {
  /** A role made from now on is unknown to EKS, and to the validation of trust policies, for this many looks of each. */
  newRolesUnseenFor(looks: number): void
  /** The next GetRoles and DescribeAccessEntries, this many of each, do not find what is there. Writes do. */
  readsLagFor(looks: number): void
}

export interface AwsFaults extends AwsLags {
  add(...faults: AwsFault[]): void
  clear(): void
}

export interface FaultBox extends AwsFaults {
  /** What happens to this call; undefined for nothing special. Uses the rule up. */
  next(action: string): AwsFault['do'] | undefined
}

export function faultBox(lags: AwsLags): FaultBox {
  const rules: { fault: AwsFault; left: number }[] = []
  return {
    add: (...faults) => void rules.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 }))),
    clear() {
      rules.splice(0)
      lags.newRolesUnseenFor(0)
      lags.readsLagFor(0)
    },
    ...lags,
    next(action) {
      const rule = rules.find(({ fault, left }) => left > 0 && (fault.action ?? action) === action)
      if (rule) rule.left -= 1
      return rule?.fault.do
    },
  }
}
