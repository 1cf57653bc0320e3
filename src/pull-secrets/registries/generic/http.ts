import { failures } from '../../failures.ts'
import type { RegistryHttp } from '../http/index.ts'
import { isSuccess, route } from '../http/index.ts'
import type { Transport } from './protocol.ts'
import { actions, isRepeatable, requestOf } from './protocol.ts'

const routes = {
  ask: route('POST', '/{action}', { action: new RegExp(actions.join('|')) }),
}

export interface Server {
  settings: Record<string, unknown>
  instanceId: string
}

/** `POST <baseUrl>/<action>`; the status says what became of it. */
export function httpTransport(server: Server, http: RegistryHttp): Transport {
  const { registry } = http
  return async (action, ask, signal) => {
    const answer = await http.call(routes.ask(registry, { action }), {
      signal,
      repeat: isRepeatable(action) ? 'safe' : 'create',
      body: requestOf(action, ask, { ...server, registry }),
    })
    if (isSuccess(answer)) return answer.json ?? {}
    if (answer.status === 409) throw failures.REGISTRY_NAME_TAKEN({ registry, name: ask.name ?? '' })
    throw failures.REGISTRY_REFUSED({ registry, detail: `status ${answer.status} to ${action}` })
  }
}
