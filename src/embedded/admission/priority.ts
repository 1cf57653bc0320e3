import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { AdmissionStep } from './admission.ts'
import { isAbout, refused } from './admission.ts'

/** Those that every cluster has. Others cannot be made here: there is no scheduler that would go by them. */
const classes: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
])
const preemptionPolicy = 'PreemptLowerPriority'

/** A pod has the priority of its class, and keeps it. */
export const priority: AdmissionStep = {
  name: 'Priority',
  concerns: (target) => target.operation !== 'DELETE' && isAbout(target, '', 'pods'),
  async mutate(write) {
    const { object, old } = write
    const spec = (object as Pod).spec
    if (!spec) return object
    if (old) return { ...object, spec: keeping(spec, (old as Pod).spec) }
    const { priorityClassName = '' } = spec
    const computed = priorityClassName === '' ? 0 : classes.get(priorityClassName)
    if (computed === undefined) throw refused(write, `no PriorityClass with name ${priorityClassName} was found`)
    const why = whyOther(spec, computed)
    if (why) throw refused(write, why)
    return { ...object, spec: { ...spec, priority: computed, preemptionPolicy } }
  },
}

function keeping(spec: PodSpec, old: PodSpec | undefined): PodSpec {
  const kept: Partial<PodSpec> = {}
  if (spec.priority === undefined && old?.priority !== undefined) kept.priority = old.priority
  if (!spec.preemptionPolicy && old?.preemptionPolicy) kept.preemptionPolicy = old.preemptionPolicy
  return { ...spec, ...kept }
}

function whyOther(spec: PodSpec, computed: number): string | undefined {
  const must = (what: string, given: unknown, right: unknown) =>
    `the ${what} (${given}) must not be provided in pod spec; priority admission controller computed ${right} from the given PriorityClass name`
  if (spec.priority !== undefined && spec.priority !== computed)
    return must('integer value of priority', spec.priority, computed)
  if (spec.preemptionPolicy && spec.preemptionPolicy !== preemptionPolicy)
    return must('string value of PreemptionPolicy', spec.preemptionPolicy, preemptionPolicy)
  return undefined
}
