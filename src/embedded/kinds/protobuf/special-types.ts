import { Unreadable } from '../decode/unreadable.ts'

type Fields = Readonly<Record<string, unknown>>

/** How JSON shows types that Go writes by hand there, made of the fields that protobuf has for them. */
export const specialTypes: Readonly<Record<string, (fields: Fields) => unknown>> = {
  FieldsV1: ({ Raw }) => Raw ?? undefined,
  IntOrString: intOrString,
  JSON: ({ raw }) => raw ?? undefined,
  JSONSchemaPropsOrArray: ({ schema, jSONSchemas }) => jSONSchemas ?? schema,
  JSONSchemaPropsOrBool: ({ schema, allows }) => schema ?? allows === true,
  JSONSchemaPropsOrStringArray: ({ schema, property }) => property ?? schema,
  MicroTime: microTime,
  Quantity: ({ string }) => string ?? '0',
  Time: time,
}

function intOrString({ type = 0, intVal, strVal }: Fields): unknown {
  if (type === 0) return intVal ?? 0
  if (type === 1) return strVal ?? ''
  throw new Unreadable('impossible IntOrString.Type')
}

/** Kubernetes keeps no fractions of these. */
function time({ seconds, nanos }: Fields): string | undefined {
  if (seconds === undefined && nanos === undefined) return undefined
  return moment(Number(seconds ?? 0), '')
}

function microTime({ seconds, nanos }: Fields): string | undefined {
  if (seconds === undefined && nanos === undefined) return undefined
  const micros = Math.trunc(Number(nanos ?? 0) / 1_000)
  const whole = Math.floor(micros / 1_000_000)
  const rest = micros - whole * 1_000_000
  return moment(Number(seconds ?? 0) + whole, `.${String(rest).padStart(6, '0')}`)
}

const firstSecond = Date.parse('0000-01-01T00:00:00Z') / 1_000
const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1_000
const zeroTime = Date.parse('0001-01-01T00:00:00Z') / 1_000

function moment(seconds: number, fraction: string): string | undefined {
  if (seconds === zeroTime && !/[1-9]/.test(fraction)) return undefined
  if (!(seconds >= firstSecond && seconds <= lastSecond))
    throw new Unreadable(`the second ${seconds} is in no year that this server can keep`)
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}${fraction}Z`
}
