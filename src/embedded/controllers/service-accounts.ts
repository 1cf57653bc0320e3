import type { Controller } from '../../kube/controller.ts'
import { serviceAccounts } from '../../kube/kinds.ts'
import type { ControllerDeps } from './deps.ts'
import { inEachNamespace } from './in-each-namespace.ts'
import type { Informers } from './informers.ts'

const name = 'default'

/** Every namespace has an account that pods run as unless they name another. */
export function serviceAccountController(deps: ControllerDeps, informers: Informers): Controller {
  const accounts = informers.serviceAccountsNamed(name)
  return inEachNamespace('serviceaccount', deps, informers, accounts, async (namespace, { signal }) => {
    if (accounts.get(`${namespace}/${name}`)) return
    await deps.kube.of(serviceAccounts, namespace).create({ metadata: { name } }, { signal })
  })
}
