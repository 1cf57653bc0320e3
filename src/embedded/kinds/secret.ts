import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { isObject } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import { configDataErrors, immutableDataErrors } from './config-data.ts'
import { jsonTypeOf } from './decode/go-types.ts'
import { syntaxError } from './decode/json-syntax.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { immutable, invalidValue, keyed, required } from './field-errors.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { keyPairFlaws } from './tls-key-pair.ts'

const types = {
  opaque: 'Opaque',
  serviceAccountToken: 'kubernetes.io/service-account-token',
  dockercfg: 'kubernetes.io/dockercfg',
  dockerConfigJson: 'kubernetes.io/dockerconfigjson',
  basicAuth: 'kubernetes.io/basic-auth',
  sshAuth: 'kubernetes.io/ssh-auth',
  tls: 'kubernetes.io/tls',
} as const

export const secrets: Definition = {
  rules: {
    updateChecks: ['update', 'checkUpdate', 'whole', 'check'],
    defaults: (object) => {
      const secret = as<Secret>(object)
      foldStringData(secret)
      secret.type ||= types.opaque
    },
    check: (object) => {
      const secret = as<Secret>(object)
      return [
        ...checkStandardFinalizers(secret.metadata.finalizers),
        ...configDataErrors({ binary: { field: 'data', values: secret.data } }, 'data'),
        ...typeErrors(secret),
      ]
    },
    checkUpdate: (object, old) => {
      const { type } = object
      return [
        ...(type === old['type'] ? [] : [invalidValue('type', type, immutable)]),
        ...immutableDataErrors(object, old, ['data']),
      ]
    },
    warnings: (object) => {
      const { type, data = {} } = as<Secret>(object)
      return type === types.tls ? keyPairFlaws(text(data['tls.crt']), text(data['tls.key'])) : []
    },
  },
  cells: {
    Type: (object) => as<Secret>(object).type ?? '',
    Data: (object) => Object.keys(as<Secret>(object).data ?? {}).length,
  },
  selectable: { type: (object) => as<Secret>(object).type ?? '' },
}

/** What is written in plain is kept like the rest, and wins over it. */
function foldStringData(secret: ApiObject & Secret): void {
  const { stringData } = secret
  if (!stringData) return
  delete secret.stringData
  secret.data ??= {}
  for (const [key, value] of Object.entries(stringData)) secret.data[key] = Buffer.from(value).toString('base64')
}

const text = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString()

function typeErrors({ type, data = {}, metadata }: ApiObject & Secret): FieldError[] {
  const missing = (...keys: string[]) =>
    keys.filter((key) => data[key] === undefined).map((key) => required(keyed('data', key)))
  switch (type) {
    case types.serviceAccountToken: {
      const annotation = 'kubernetes.io/service-account.name'
      return metadata.annotations?.[annotation] ? [] : [required(keyed('metadata.annotations', annotation))]
    }
    case types.dockercfg:
      return dockerConfigErrors(data, '.dockercfg')
    case types.dockerConfigJson:
      return dockerConfigErrors(data, '.dockerconfigjson')
    case types.basicAuth: {
      const errors = missing('username', 'password')
      return errors.length === 2 ? errors : []
    }
    case types.sshAuth:
      return data['ssh-privatekey'] ? [] : [required(keyed('data', 'ssh-privatekey'))]
    case types.tls:
      return missing('tls.crt', 'tls.key')
    default:
      return []
  }
}

function dockerConfigErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const field = keyed('data', key)
  if (data[key] === undefined) return [required(field)]
  const why = jsonObjectFlaw(text(data[key]))
  return why ? [invalidValue(field, '<secret contents redacted>', why)] : []
}

/** As Go's decoder words it. */
function jsonObjectFlaw(json: string): string | undefined {
  const flaw = syntaxError(Buffer.from(json))
  if (flaw) return flaw
  const value: unknown = JSON.parse(json)
  if (value === null || isObject(value)) return undefined
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`
}
