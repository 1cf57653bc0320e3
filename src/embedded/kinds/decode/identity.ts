import { isObject } from '../../../core/schema/schema.ts'
import { splitApiVersion } from '../../objects.ts'
import { badRequest, invalid } from '../../status.ts'
import { Undecodable } from './unfit.ts'
import { unrecognized } from './unrecognized.ts'

/** What a path is for. */
export interface Expected {
  readonly apiVersion: string
  readonly kind: string
  /** Of a CustomResourceDefinition: their objects have to say what they are. */
  readonly custom: boolean
}

/**
 * Makes `apiVersion` and `kind` of what was sent to be those of the path; built-in kinds may leave them out. Throws as
 * the real server does for an object of another kind or version. `isKnown` tells which kinds there are.
 */
export function settleIdentity(
  sent: Record<string, unknown>,
  expected: Expected,
  isKnown: (apiVersion: string, kind: string) => boolean,
  bytes: Uint8Array,
): void {
  const { apiVersion, kind } = said(sent)
  if (expected.custom) settleCustom(sent, expected, bytes)
  else {
    if (apiVersion.split('/').length > 2)
      throw unrecognized(bytes, `unexpected GroupVersion string: ${apiVersion}`, expected.kind)
    refuseOther(expected, apiVersion || expected.apiVersion, kind || expected.kind, isKnown)
  }
  sent['apiVersion'] = expected.apiVersion
  sent['kind'] = expected.kind
}

function settleCustom(sent: Record<string, unknown>, expected: Expected, bytes: Uint8Array): void {
  const { apiVersion, kind } = said(sent)
  if (kind === '') throw unrecognized(bytes, `Object 'Kind' is missing in '${Buffer.from(bytes)}'`, expected.kind)
  if (apiVersion !== expected.apiVersion) throw otherVersion(apiVersion, expected)
  if (kind === expected.kind) return
  const { group } = splitApiVersion(apiVersion)
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${expected.kind}`
  throw invalid({ group, kind }, nameOf(sent), [{ reason: 'FieldValueInvalid', field: 'kind', message }])
}

function refuseOther(
  expected: Expected,
  apiVersion: string,
  kind: string,
  isKnown: (apiVersion: string, kind: string) => boolean,
): void {
  if (apiVersion === expected.apiVersion && kind === expected.kind) return
  const { version } = splitApiVersion(apiVersion)
  const cannotBe = (why: string) => new Undecodable(kind, version, why, expected.kind)
  if (!isKnown(apiVersion, kind))
    throw cannotBe(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`)
  if (kind === expected.kind) throw otherVersion(apiVersion, expected)
  const internal = internalPackage(splitApiVersion(expected.apiVersion).group)
  throw cannotBe(`converting (${version}.${kind}) to (${internal}.${expected.kind}): unknown conversion`)
}

const otherVersion = (apiVersion: string, expected: Expected) =>
  badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
  )

/** `core` for the core group, and for events, which are of it. */
const internalPackage = (group: string): string =>
  group === '' || group === 'events.k8s.io' ? 'core' : `${group.split('.')[0]}`

const said = ({ apiVersion, kind }: Record<string, unknown>) => ({
  apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
  kind: typeof kind === 'string' ? kind : '',
})

const nameOf = ({ metadata }: Record<string, unknown>): string =>
  isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
