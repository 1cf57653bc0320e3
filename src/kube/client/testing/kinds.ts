import type { ConfigMap, Namespace } from 'kubernetes-types/core/v1.d.ts'
import { resource } from '../../objects.ts'

export const configMaps = resource<ConfigMap>('v1', 'ConfigMap', 'configmaps')
export const namespaces = resource<Namespace>('v1', 'Namespace', 'namespaces', { namespaced: false })

/** As a server would send it. */
export const aConfigMap = (name: string, changes: Pick<ConfigMap, 'data'> = {}) => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name, namespace: 'here', uid: `uid-${name}`, resourceVersion: '7' },
  ...changes,
})
