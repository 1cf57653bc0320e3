import type { Scale } from 'kubernetes-types/autoscaling/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { ageText } from './age.ts'
import { as } from './define.ts'
import { columnsOf } from './facts/facts.ts'
import type { Column } from './kind.ts'

/** How a built-in kind's columns differ from those of a custom one. */
interface Words {
  nameFormat: string
  desired: string
  available: string
  ageType: Column['type']
}

const builtIn: Words = {
  nameFormat: '',
  desired: 'replicas is the desired number of instances for the scaled object.',
  available: 'replicas is the actual number of observed instances of the scaled object.',
  ageType: 'string',
}

const custom: Words = {
  nameFormat: 'name',
  desired: 'Number of desired replicas',
  available: 'Number of actual replicas',
  ageType: 'date',
}

/** The columns of `kubectl get --subresource=scale`. */
export function scaleColumns(isCustom: boolean): Column[] {
  const { nameFormat, desired, available, ageType } = isCustom ? custom : builtIn
  const column = (name: string, facts: Pick<Column, 'type' | 'format' | 'description' | 'cell'>): Column => ({
    name,
    priority: 0,
    ...facts,
  })
  return [
    column('Name', {
      ...{ type: 'string', format: nameFormat, description: descriptionOf('Name') },
      cell: ({ metadata }) => metadata.name ?? '',
    }),
    column('Desired', {
      ...{ type: 'integer', format: '', description: desired },
      // What is zero is left out of a Scale, and custom kinds read their cells from what is there.
      cell: (object) => scaleOf(object).spec?.replicas || (isCustom ? null : 0),
    }),
    column('Available', {
      ...{ type: 'integer', format: '', description: available },
      cell: (object) => scaleOf(object).status?.replicas ?? 0,
    }),
    column('Age', {
      ...{ type: ageType, format: '', description: descriptionOf('Age') },
      cell: ({ metadata }, now) => ageText(metadata.creationTimestamp, now),
    }),
  ]
}

const scaleOf = (object: ApiObject): Scale => as<Scale>(object)

/** Each kind describes its name and its age in the same words. */
const descriptionOf = (wanted: string): string =>
  columnsOf('', 'configmaps').find(({ name }) => name === wanted)?.description ?? ''
