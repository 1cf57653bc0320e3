import { join } from 'node:path'
import { replaceFile } from '../core/replace-file.ts'
import { emptyKubeconfig, formatKubeconfig, withContext } from '../kube/kubeconfig/index.ts'
import type { Identities } from './identities.ts'

/** Writes the kubeconfig by which the owner of the folder does everything. Resolves to its path. */
export async function writeAdminKubeconfig(dir: string, url: string, { serverCa, admin }: Identities): Promise<string> {
  const path = join(dir, 'admin.kubeconfig')
  const config = withContext(emptyKubeconfig, {
    cluster: { server: url, certificateAuthorityData: serverCa.certPem },
    user: { clientCertificateData: admin.certPem, clientKeyData: admin.keyPem },
    names: { cluster: 'lanyard', user: 'kubernetes-admin', context: 'lanyard' },
  })
  await replaceFile(path, formatKubeconfig(config).reveal())
  return path
}
