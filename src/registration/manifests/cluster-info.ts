import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { manifest } from '../../fleet/manifests/manifest.ts'
import { boundRole, rule, user } from '../../fleet/manifests/rbac.ts'
import { configMaps } from '../../kube/kinds.ts'
import { emptyKubeconfig, formatKubeconfig } from '../../kube/kubeconfig/index.ts'

/** Where a cluster says in public where it is and whom to trust. kubeadm has given it that place. */
export const clusterInfo = { namespace: 'kube-public', name: 'cluster-info' } as const

export const clusterInfoManifest = (server: string, caPem: string): Manifest =>
  manifest(configMaps, {
    metadata: { ...clusterInfo },
    data: {
      kubeconfig: formatKubeconfig({
        ...emptyKubeconfig,
        clusters: [{ name: '', value: { server, certificateAuthorityData: caPem } }],
      }).reveal(),
    },
  })

/** Anybody may read it, without a credential: nobody should have to show one before they know whom they talk to. */
export const clusterInfoReaders = (): Manifest[] =>
  boundRole(
    clusterInfo.namespace,
    'lanyard:cluster-info',
    [rule('', ['configmaps'], ['get'], [clusterInfo.name])],
    [user('system:anonymous')],
  )
