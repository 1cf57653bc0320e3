import { isObject } from '../../core/schema/schema.ts'
import { schemaOf } from '../kinds/facts/schemas.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue } from '../kinds/field-errors.ts'
import type { View } from '../kinds/kind.ts'
import { scaleColumns } from '../kinds/scale-columns.ts'
import type { ApiObject } from '../objects.ts'
import { goText } from '../patch/go-text.ts'
import type { ScalePaths } from './definition.ts'
import { plainSteps, valueAt } from './json-path.ts'

const apiVersion = 'autoscaling/v1'
const kind = 'Scale'

/** How many there are to be, found and written under the paths that a definition names for the object's version. */
export function scaleView(pathsOf: (object: ApiObject) => ScalePaths, replicasPaths: View['replicasPaths']): View {
  return {
    type: 'view',
    verbs: ['get', 'patch', 'update'],
    apiVersion,
    kind,
    schema: schemaOf(apiVersion, kind),
    columns: scaleColumns(true),
    replicasPaths,
    whyHidden(object) {
      const { specReplicasPath } = pathsOf(object)
      return valueAt(object, plainSteps(specReplicasPath)) === undefined
        ? `the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`
        : undefined
    },
    show(object) {
      const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(object)
      const wanted = valueAt(object, plainSteps(specReplicasPath))
      const selector = labelSelectorPath ? valueAt(object, plainSteps(labelSelectorPath)) : undefined
      const present = valueAt(object, plainSteps(statusReplicasPath))
      return {
        kind,
        apiVersion,
        metadata: shownMetadata(object),
        spec: typeof wanted === 'number' && wanted !== 0 ? { replicas: wanted } : {},
        status: {
          replicas: typeof present === 'number' ? present : 0,
          ...(typeof selector === 'string' && selector !== '' && { selector }),
        },
      }
    },
    merge(submitted, old) {
      const { spec } = submitted as { spec?: { replicas?: number } }
      return withValueAt(old, plainSteps(pathsOf(old).specReplicasPath), spec?.replicas ?? 0) as ApiObject
    },
  }
}

function shownMetadata({ metadata }: ApiObject): ApiObject['metadata'] {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
  return {
    ...(name && { name }),
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
    ...(creationTimestamp && { creationTimestamp }),
  }
}

function withValueAt(object: unknown, [step = '', ...rest]: readonly string[], value: unknown): unknown {
  const fields = isObject(object) ? object : {}
  return { ...fields, [step]: rest.length === 0 ? value : withValueAt(fields[step], rest, value) }
}

const mostReplicas = 2 ** 31 - 1

/** What a scale must find where its paths lead. Nothing there is fine. */
export const checkScaled = (object: ApiObject, paths: ScalePaths): FieldError[] => [
  ...checkReplicas(object, paths.specReplicasPath),
  ...checkScaledStatus(object, paths),
]

export function checkScaledStatus(object: ApiObject, paths: ScalePaths): FieldError[] {
  const { statusReplicasPath, labelSelectorPath: path } = paths
  const errors = checkReplicas(object, statusReplicasPath)
  if (!path) return errors
  const { value, blocked } = found(object, path)
  const flaw =
    blocked ?? (value === undefined || typeof value === 'string' ? undefined : accessorError(path, value, 'string'))
  return flaw === undefined ? errors : [...errors, invalidValue(path, '', flaw)]
}

function checkReplicas(object: ApiObject, path: string): FieldError[] {
  const { value, blocked } = found(object, path)
  if (blocked !== undefined) return [invalidValue(path, 0, blocked)]
  if (value === undefined) return []
  if (!Number.isInteger(value)) return [invalidValue(path, 0, accessorError(path, value, 'int64'))]
  if ((value as number) < 0) return [invalidValue(path, value, 'should be a non-negative integer')]
  return (value as number) > mostReplicas
    ? [invalidValue(path, value, `should be less than or equal to ${mostReplicas}`)]
    : []
}

/** What lies at the end of a path, or why nothing can. */
function found(object: ApiObject, path: string): { value?: unknown; blocked?: string } {
  const steps = plainSteps(path)
  let value: unknown = object
  for (const [index, step] of steps.entries()) {
    if (value === null) return {}
    if (!isObject(value))
      return { blocked: accessorError(`.${steps.slice(0, index + 1).join('.')}`, value, 'map[string]interface{}') }
    if (!Object.hasOwn(value, step)) return {}
    value = value[step]
  }
  return { value }
}

const goTypes: Record<string, string> = { string: 'string', boolean: 'bool', number: 'float64' }

const accessorError = (path: string, value: unknown, wanted: string): string =>
  `${path} accessor error: ${goText(value)} is of the type ${goTypeOf(value)}, expected ${wanted}`

function goTypeOf(value: unknown): string {
  if (value === null) return '<nil>'
  if (Number.isInteger(value)) return 'int64'
  return goTypes[typeof value] ?? (Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}')
}
