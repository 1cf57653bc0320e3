import type { Adapter, AdapterPayload } from 'oidc-provider'
import { BoundedMap } from '../../kube/bounded-map.ts'

const mostKept = 10_000

/** What the library remembers: grants and refresh tokens, in this process. Access tokens speak for themselves. */
export function memoryAdapter(): (model: string) => Adapter {
  const kept = new BoundedMap<string, AdapterPayload>(mostKept)
  const byUserCode = new BoundedMap<string, string>(mostKept)
  const byGrant = new BoundedMap<string, Set<string>>(mostKept)
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`
    return {
      async upsert(id, payload) {
        kept.set(keyOf(id), payload)
        if (payload.userCode) byUserCode.set(`${model}:${payload.userCode}`, id)
        if (payload.grantId) byGrant.set(payload.grantId, (byGrant.get(payload.grantId) ?? new Set()).add(keyOf(id)))
      },
      find: async (id) => kept.get(keyOf(id)),
      findByUserCode: async (userCode) => kept.get(keyOf(byUserCode.get(`${model}:${userCode}`) ?? '')),
      // Sessions of people in a browser: there are none.
      findByUid: async () => undefined,
      async consume(id) {
        const payload = kept.get(keyOf(id))
        if (payload) kept.set(keyOf(id), { ...payload, consumed: true })
      },
      destroy: async (id) => kept.delete(keyOf(id)),
      async revokeByGrantId(grantId) {
        for (const key of byGrant.get(grantId) ?? []) kept.delete(key)
        byGrant.delete(grantId)
      },
    }
  }
}
