import { unsupportedMediaType } from '../../status.ts'

export type BodyType = 'application/json' | 'application/yaml'

const unknown = 'the body of the request was in an unknown format - accepted media types include: '
const accepted = 'application/json, application/yaml'

/** What the body of a create or an update is written in. Nothing said means JSON. */
export function contentTypeOf(header: string | undefined): BodyType {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (header === undefined || header === '' || type === 'application/json') return 'application/json'
  if (type === 'application/yaml') return type
  if (type !== 'application/vnd.kubernetes.protobuf') throw unsupportedMediaType(`${unknown}${accepted}`)
  throw unsupportedMediaType(
    `${unknown}${accepted}; protobuf is not read here: start the client with --kube-api-content-type=application/json` +
      " (OCM's programs with --disable-leader-election as well)",
  )
}
