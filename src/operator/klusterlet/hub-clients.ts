import type { KubeClient } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Key } from '../../kube/objects.ts'

/** One client for each credential, kept from look to look: a TLS greeting every time would cost a hub most. */
export interface HubClients extends AsyncDisposable {
  /** @param version changes when the credential does */
  get(key: Key, version: string, connection: () => Connection): Promise<KubeClient>
}

export function hubClients(connect: (connection: Connection) => KubeClient): HubClients {
  const open = new Map<Key, { version: string; client: KubeClient }>()
  const close = async (key: Key) => {
    const found = open.get(key)
    open.delete(key)
    await found?.client.close()
  }
  return {
    async get(key, version, connection) {
      const found = open.get(key)
      if (found?.version === version) return found.client
      await close(key)
      const client = connect(connection())
      open.set(key, { version, client })
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.keys()].map(close))
    },
  }
}
