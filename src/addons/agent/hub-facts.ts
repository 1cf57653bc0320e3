import { isForbidden, isNotFound } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { HubFacts } from '../drivers/driver.ts'
import type { DriverName } from '../registrations.ts'

/**
 * What is known of a hub: asked once, when it is first needed, and only where add-ons come by certificate. A hub that
 * does not tell everybody its version is taken for one like any other. So is one that could not be asked, until it can:
 * what add-ons have does not wait for it.
 */
export function hubFacts(hub: Kube, driver: DriverName): (signal: AbortSignal) => Promise<HubFacts> {
  let asked: Promise<HubFacts> | undefined = driver === 'csr' ? undefined : Promise.resolve({})
  return async (signal) => {
    asked ??= versionOf(hub, signal).then(
      (version) => ({ version }),
      () => {
        asked = undefined
        return {}
      },
    )
    const facts = await asked
    signal.throwIfAborted()
    return facts
  }
}

async function versionOf(hub: Kube, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { gitVersion } = await hub.request<{ gitVersion?: string }>({ path: '/version', signal })
    return gitVersion
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined
    throw error
  }
}
