import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import { schemaOf } from './facts/facts.ts'
import type { Action } from './kind.ts'
import { checkStandardFinalizers } from './metadata.ts'

const apiVersion = 'authentication.k8s.io/v1'
const kind = 'TokenRequest'
const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets'

/** `act` issues a token. */
export const serviceAccounts = (act: Action['act']): Definition => ({
  rules: {
    updateChecks: ['update', 'whole', 'check', 'checkUpdate'],
    answersDeleted: true,
    prepareCreate: keepNamesOnly,
    prepareUpdate: keepNamesOnly,
    check: ({ metadata }) => checkStandardFinalizers(metadata.finalizers),
    warnings: ({ metadata }, old) =>
      metadata.annotations?.[mountableSecrets] === undefined ||
      old?.metadata.annotations?.[mountableSecrets] !== undefined
        ? []
        : [
            `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
          ],
  },
  subresources: {
    token: { type: 'action', apiVersion, kind, schema: schemaOf(apiVersion, kind), defaults: liveAnHour, act },
  },
})

function liveAnHour(object: ApiObject): void {
  const { spec = {} } = object as { spec?: object }
  object['spec'] = { expirationSeconds: 3_600, ...spec }
}

/** Of the secrets of an account, nothing but the name is kept. */
function keepNamesOnly(object: ApiObject): void {
  const account = as<ServiceAccount>(object)
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }))
}
