import type { KubeObject } from '../kube/objects.ts'
import type { Reported } from './status.ts'

/**
 * Of several that want the same namespace, who has it: whoever is there already, then the oldest. Times have whole
 * seconds, so that two may be of the same age; then the name decides.
 */
export const bySeniorityIn =
  (place: string) =>
  (a: Reported, b: Reported): number =>
    Number(isIn(place, b)) - Number(isIn(place, a)) || ageOf(a) - ageOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1)

const isIn = (place: string, { status }: Reported): boolean =>
  (status?.relatedResources ?? []).some(({ namespace }) => namespace === place)
const ageOf = ({ metadata }: KubeObject): number => Date.parse(metadata?.creationTimestamp ?? '') || 0
const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? ''
