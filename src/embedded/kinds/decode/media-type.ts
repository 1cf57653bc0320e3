import { unsupportedMediaType } from '../../status.ts'

export const protobufType = 'application/vnd.kubernetes.protobuf'

export type BodyType = 'application/json' | 'application/yaml' | typeof protobufType

const unknown = 'the body of the request was in an unknown format - accepted media types include: '
const withoutSchemas = 'application/json, application/yaml'

/**
 * What the body of a create, an update or a delete is written in. Nothing said means JSON. Objects of custom kinds are
 * never protobuf: their fields have no numbers. (The real server breaks off the connection there.)
 */
export function contentTypeOf(header: string | undefined, isCustom = false): BodyType {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (header === undefined || header === '' || type === 'application/json') return 'application/json'
  if (type === 'application/yaml') return type
  if (type !== protobufType) throw unsupportedMediaType(`${unknown}${withoutSchemas}, ${protobufType}`)
  if (isCustom) throw unsupportedMediaType(`${unknown}${withoutSchemas}`)
  return type
}
