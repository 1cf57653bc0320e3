import { isObject } from '../../core/schema/schema.ts'
import { schemaOf } from '../kinds/facts/schemas.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue } from '../kinds/field-errors.ts'
import type { View } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { internalError } from '../status.ts'
import type { ScalePaths } from './definition.ts'
import { plainSteps, valueAt } from './json-path.ts'

const apiVersion = 'autoscaling/v1'
const kind = 'Scale'

/** How many there are to be, found and written under the paths that a definition names for the object's version. */
export function scaleView(pathsOf: (object: ApiObject) => ScalePaths): View {
  return {
    type: 'view',
    verbs: ['get', 'patch', 'update'],
    apiVersion,
    kind,
    schema: schemaOf(apiVersion, kind),
    show(object) {
      const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(object)
      const wanted = valueAt(object, plainSteps(specReplicasPath))
      if (wanted === undefined)
        throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`)
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
export function checkScaled(object: ApiObject, paths: ScalePaths): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths
  const errors: FieldError[] = []
  for (const path of [specReplicasPath, statusReplicasPath]) {
    const value = valueAt(object, plainSteps(path))
    if (value === undefined) continue
    if (!Number.isInteger(value)) errors.push(invalidValue(path, 0, accessorError(path, value, 'int64')))
    else if ((value as number) < 0) errors.push(invalidValue(path, value, 'should be a non-negative integer'))
    else if ((value as number) > mostReplicas)
      errors.push(invalidValue(path, value, `should be less than or equal to ${mostReplicas}`))
  }
  if (!labelSelectorPath) return errors
  const selector = valueAt(object, plainSteps(labelSelectorPath))
  if (selector !== undefined && typeof selector !== 'string')
    errors.push(invalidValue(labelSelectorPath, '', accessorError(labelSelectorPath, selector, 'string')))
  return errors
}

const goTypes: Record<string, string> = { string: 'string', boolean: 'bool', number: 'float64' }

const accessorError = (path: string, value: unknown, wanted: string): string => {
  const type = Number.isInteger(value)
    ? 'int64'
    : (goTypes[typeof value] ?? (Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'))
  return `${path} accessor error: ${typeof value === 'object' ? JSON.stringify(value) : value} is of the type ${type}, expected ${wanted}`
}
