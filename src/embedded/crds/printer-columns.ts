import { sortedJson } from '../../core/schema/schema.ts'
import { durationText } from '../kinds/age.ts'
import { columnsOf } from '../kinds/facts/facts.ts'
import type { Column } from '../kinds/kind.ts'
import type { DefinitionVersion, PrinterColumn } from './definition.ts'
import { jsonPath } from './json-path.ts'

const [nameFacts, ageFacts] = ['Name', 'Age'].map((wanted) =>
  columnsOf('', 'configmaps').find(({ name }) => name === wanted),
)

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: nameFacts?.description ?? '',
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? '',
}

const ageColumn = (): Column =>
  printed({
    name: 'Age',
    type: 'date',
    description: ageFacts?.description ?? '',
    jsonPath: '.metadata.creationTimestamp',
  })

/** The name and what the version asks for, or the age where it asks for nothing. Ends before a path that is none. */
export function columnsFor({ additionalPrinterColumns = [] }: DefinitionVersion): Column[] {
  if (additionalPrinterColumns.length === 0) return [nameColumn, ageColumn()]
  const columns = [nameColumn]
  for (const column of additionalPrinterColumns) {
    try {
      columns.push(printed(column))
    } catch {
      break
    }
  }
  return columns
}

function printed({ name, type, format = '', description, priority = 0, jsonPath: text }: PrinterColumn): Column {
  const path = jsonPath(text)
  const kind = type as Column['type']
  return {
    name,
    type: kind,
    format,
    description: description || `Custom resource definition column (in JSONPath format): ${text}`,
    priority,
    cell(object, now) {
      const found = path(object)
      return found.length === 0 ? null : cellOf(kind, found[0], now)
    },
  }
}

type Cell = ReturnType<Column['cell']>

function cellOf(type: Column['type'], value: unknown, now: Date): Cell {
  switch (type) {
    case 'string':
      return textOf(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null
  }
}

function ageOf(timestamp: string, now: Date): string {
  const at = /^\d{4}-\d{2}-\d{2}T/.test(timestamp) ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(at) ? '<invalid>' : durationText(now.getTime() - at)
}

function textOf(value: unknown): string {
  if (value === null) return '<no value>'
  return typeof value === 'object' ? sortedJson(value) : String(value)
}
