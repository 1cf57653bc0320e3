import type { Clock } from '../../../core/clock.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'
import type { Step, World } from './hub-plan.ts'

/** By then IAM and EKS show what they were told: what is missing twice, this long apart, is not there. */
export const surelyGoneMs = 15_000

const mostObjects = 20_000

export interface Removals {
  /** A step is about to be taken: it may happen though its answer never comes. */
  begin(role: string, step: Step): void
  end(role: string, step: Step): void
  /** Whether what was found may be what is gone: AWS shows it for some seconds more. */
  mayBeIn(role: string, world: World): boolean
}

/** What this process removed lately, and has not made again since. */
export function removalsLately(clock: Pick<Clock, 'now'>): Removals {
  const removedAt = new BoundedMap<string, number>(mostObjects)
  const isRecent = (object: string) => {
    const at = removedAt.get(object)
    return at !== undefined && Math.abs(clock.now().getTime() - at) < surelyGoneMs
  }
  const noteRemoved = (role: string, step: Step) => {
    if (step.step === 'remove-role') removedAt.set(`${role} role`, clock.now().getTime())
    if (step.step === 'unmap') removedAt.set(`${role} ${step.kind}`, clock.now().getTime())
  }
  return {
    begin: noteRemoved,
    end(role, step) {
      noteRemoved(role, step)
      if (step.step === 'create-role') removedAt.delete(`${role} role`)
      if (step.step === 'map') removedAt.delete(`${role} ${step.kind}`)
    },
    mayBeIn(role, world) {
      if (world.role) return isRecent(`${role} role`) || world.mappings.some(({ kind }) => isRecent(`${role} ${kind}`))
      // Without the role, all is made again.
      return false
    },
  }
}
