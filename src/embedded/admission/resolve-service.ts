import type { Endpoints, Service } from 'kubernetes-types/core/v1.d.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { ResolveService } from './webhook-client.ts'

/**
 * Finds a service as far as that can be done without a cluster's network: behind an ExternalName, at its first ready
 * endpoint, or else at its cluster IP, which somebody may route.
 */
export const serviceResolver =
  (store: Pick<Store, 'get'>): ResolveService =>
  ({ namespace, name, port = 443 }) => {
    const entry = store.get('services', namespace, name)
    if (!entry) return undefined
    const { spec = {} } = parsed<Service>(entry)
    if (spec.type === 'ExternalName' && spec.externalName) return `${spec.externalName}:${port}`
    const servicePort = spec.ports?.find((candidate) => candidate.port === port)
    const endpoints = store.get('endpoints', namespace, name)
    for (const { addresses = [], ports = [] } of endpoints ? (parsed<Endpoints>(endpoints).subsets ?? []) : []) {
      const [address] = addresses
      const target = ports.find((candidate) => (candidate.name ?? '') === (servicePort?.name ?? ''))
      if (address && target) return hostPort(address.ip, target.port)
    }
    return spec.clusterIP && spec.clusterIP !== 'None' ? hostPort(spec.clusterIP, port) : undefined
  }

const hostPort = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)
