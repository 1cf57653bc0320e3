import { isIPv4, isIPv6 } from 'node:net'

const int32 = 2 ** 31
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

const ofStrings: Record<string, (value: string) => boolean> = {
  'date-time': (value) => dateTime.test(value) && !Number.isNaN(Date.parse(value)),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  byte: (value) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  ipv4: isIPv4,
  ipv6: isIPv6,
  uri: URL.canParse,
}

const ofNumbers: Record<string, (value: number) => boolean> = {
  int32: (value) => Number.isInteger(value) && value >= -int32 && value < int32,
  int64: Number.isInteger,
}

/** True for a format that is not known here, as the API server has it. */
export const hasFormat = (format: string, value: string | number): boolean =>
  (typeof value === 'string' ? ofStrings[format]?.(value) : ofNumbers[format]?.(value)) ?? true
