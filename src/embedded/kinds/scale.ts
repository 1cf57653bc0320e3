import type { Scale } from 'kubernetes-types/autoscaling/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { as } from './define.ts'
import { schemaOf } from './facts/facts.ts'
import { mustNotBeNegative } from './field-errors.ts'
import type { View } from './kind.ts'
import type { LabelSelector } from './label-selector.ts'
import { selectorText } from './label-selector.ts'
import { scaleColumns } from './scale-columns.ts'

const apiVersion = 'autoscaling/v1'
const kind = 'Scale'

interface Scaled {
  spec?: { replicas?: number; selector?: LabelSelector }
  status?: { replicas?: number }
}

/** How many there are to be, for whoever need not know of what. */
export const scale = (): View => ({
  type: 'view',
  verbs: ['get', 'patch', 'update'],
  apiVersion,
  kind,
  schema: schemaOf(apiVersion, kind),
  columns: scaleColumns(false),
  replicasPaths: new Map(['apps/v1', 'apps/v1beta2', 'apps/v1beta1'].map((version) => [version, ['spec', 'replicas']])),
  show: (object) => {
    const { metadata, spec, status } = as<Scaled>(object)
    const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
    const shown: ApiObject & Scale = {
      apiVersion,
      kind,
      metadata: Object.fromEntries(
        Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(([, value]) => value),
      ),
      spec: spec?.replicas ? { replicas: spec.replicas } : {},
      status: { replicas: status?.replicas ?? 0, selector: selectorText(spec?.selector) },
    }
    return shown
  },
  merge: (submitted, old) => ({
    ...old,
    spec: { ...as<Scaled>(old).spec, replicas: as<Scaled>(submitted).spec?.replicas ?? 0 },
  }),
  check: (submitted) => mustNotBeNegative('spec.replicas', as<Scaled>(submitted).spec?.replicas),
})
