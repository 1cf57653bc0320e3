import type { AuditConfigSpec } from '../../apis/breakglass/audit-config.ts'
import type { AuditSink } from '../../apis/breakglass/audit-sink-fields.ts'
import type { NamespaceFilter } from '../../apis/breakglass/common.ts'
import type { Random } from '../../core/random.ts'
import { fitsAny as fitsOne } from '../sessions/glob.ts'
import type { AuditEvent, AuditType } from './contract.ts'
import { isAtLeast, isPlentiful } from './kinds.ts'

const fitsAny = (patterns: readonly string[] | undefined, text: string): boolean => fitsOne(patterns ?? [], text)

type Filtering = NonNullable<AuditConfigSpec['filtering']>
type Check = (event: AuditEvent, filtering: Filtering) => boolean

const typeIsIn: Check = ({ type }, { includeEventTypes, excludeEventTypes }) =>
  isIn(includeEventTypes, excludeEventTypes, [type])
const userIsIn: Check = ({ actor }, { includeUsers, excludeUsers }) => isIn(includeUsers, excludeUsers, [actor.user])
const resourceIsIn: Check = ({ target }, { includeResources, excludeResources }) =>
  isIn(includeResources, excludeResources, resourceNames(target))
const namespaceIsIn: Check = ({ target }, { includeNamespaces, excludeNamespaces }) =>
  !(target.namespace !== undefined && fitsAny(excludeNamespaces?.patterns, target.namespace)) &&
  mayBeIn(includeNamespaces, target.namespace)

const checks: readonly Check[] = [typeIsIn, userIsIn, resourceIsIn, namespaceIsIn]

/** What is both included and excluded is not kept. */
export const isKept = (event: AuditEvent, filtering: Filtering = {}): boolean =>
  checks.every((check) => check(event, filtering))

function isIn(include: readonly string[] | undefined, exclude: readonly string[] | undefined, names: string[]) {
  if (names.some((name) => fitsAny(exclude, name))) return false
  return include === undefined || include.length === 0 || names.some((name) => fitsAny(include, name))
}

const resourceNames = ({ kind, apiGroup }: AuditEvent['target']): string[] =>
  apiGroup ? [kind, `${kind}.${apiGroup}`] : [kind]

/** By labels it cannot be told here, as an event does not carry them: what may be meant is kept. */
function mayBeIn(filter: NamespaceFilter | undefined, namespace: string | undefined): boolean {
  const { patterns = [], selectorTerms = [] } = filter ?? {}
  if (patterns.length === 0 || selectorTerms.length > 0) return true
  return namespace !== undefined && fitsAny(patterns, namespace)
}

/** Whether a sink is to get events of this type at all. */
export function typeReaches(type: AuditType, spec: AuditConfigSpec, sink: AuditSink): boolean {
  const { includeEventTypes, excludeEventTypes } = spec.filtering ?? {}
  const own = [sink.eventTypes, sink.kubernetes?.eventTypes].filter((types) => types !== undefined && types.length > 0)
  return isIn(includeEventTypes, excludeEventTypes, [type]) && own.every((types) => fitsAny(types, type))
}

export const reaches = (event: AuditEvent, spec: AuditConfigSpec, sink: AuditSink): boolean =>
  typeReaches(event.type, spec, sink) && isAtLeast(event.severity, sink.minSeverity) && isKept(event, spec.filtering)

/** Of what is frequent only a part is kept. Never of sessions and refusals, whatever the configuration says. */
export function isDrawn(type: AuditType, sampling: AuditConfigSpec['sampling'], random: Random): boolean {
  const { rate = '1.0', highVolumeEventTypes, alwaysCaptureEventTypes } = sampling ?? {}
  if (!isPlentiful(type) || fitsAny(alwaysCaptureEventTypes, type)) return true
  if (highVolumeEventTypes !== undefined && !fitsAny(highVolumeEventTypes, type)) return true
  const share = Number(rate)
  return Number.isNaN(share) || share >= 1 || random.fraction() < share
}
