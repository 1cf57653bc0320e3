import { isAlreadyExists } from '../../kube/failures.ts'
import { configMaps } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'

export const clusterInfo = { name: 'cluster-info', namespace: 'kube-public' }

/** Tells whoever wants to join where this cluster is and whom to trust. kubeadm does it for other clusters. */
export async function ensureClusterInfo(
  kube: Kube,
  { url, serverCaPem }: { url: string; serverCaPem: string },
): Promise<void> {
  const place = kube.of(configMaps, clusterInfo.namespace)
  const kubeconfig = kubeconfigOf(url, serverCaPem)
  const present = await place.find(clusterInfo.name)
  if (present?.data?.['kubeconfig'] === kubeconfig) return
  if (present) await place.patch(clusterInfo.name, { type: 'merge', body: { data: { kubeconfig } } })
  else
    await place.create({ metadata: { ...clusterInfo }, data: { kubeconfig } }).catch((error) => {
      if (!isAlreadyExists(error)) throw error
    })
}

/** As kubeadm writes it: a cluster without a name, nobody to be. */
const kubeconfigOf = (url: string, serverCaPem: string): string => `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(serverCaPem).toString('base64')}
    server: ${url}
  name: ""
contexts: null
current-context: ""
kind: Config
preferences: {}
users: null
`
