/**
 * Everything the stand-in refuses, as data. `refusals.test.ts` provokes each row with the SDK: a row without a
 * provocation does not compile.
 */
import { callerRefusals } from './refusals/caller.ts'
import { documentRefusals } from './refusals/document.ts'
import { eksRefusals } from './refusals/eks.ts'
import { iamRefusals } from './refusals/iam.ts'
import { inputRefusals } from './refusals/input.ts'
import type { Refusal } from './refusals/refusal.ts'
import { stsRefusals } from './refusals/sts.ts'

const table = {
  ...callerRefusals,
  ...inputRefusals,
  ...iamRefusals,
  ...documentRefusals,
  ...stsRefusals,
  ...eksRefusals,
}

export type RefusalName = keyof typeof table
export const refusals: Readonly<Record<RefusalName, Refusal>> = table

/** What a handler throws in place of an answer. */
export class AwsRefusal extends Error {
  readonly reason: RefusalName
  readonly row: Refusal

  constructor(reason: RefusalName, message: string) {
    super(message)
    this.reason = reason
    this.row = refusals[reason]
  }
}

export function refuse(reason: RefusalName, params: Record<string, string | number> = {}): never {
  throw new AwsRefusal(
    reason,
    refusals[reason].says.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name])),
  )
}
