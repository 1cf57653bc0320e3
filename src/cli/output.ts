import { Option } from 'commander'
import { stringify } from 'yaml'

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml'

/** `-o`, for commands whose result people and programs read. */
export const outputOption = (formats: readonly OutputFormat[] = ['table', 'wide', 'json', 'yaml']): Option =>
  new Option('-o, --output <format>', 'how the result is printed').choices(formats).default('table')

/** The data for programs; dates as RFC 3339. */
export const formatData = (format: 'json' | 'yaml', data: unknown): string =>
  format === 'json' ? `${JSON.stringify(data, null, 2)}\n` : stringify(JSON.parse(JSON.stringify(data)))
