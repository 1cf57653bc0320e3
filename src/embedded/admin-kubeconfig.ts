import { readFile } from 'node:fs/promises'
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
  const text = formatKubeconfig(config).reveal()
  // On a disk that is full, a start that changes nothing must go on.
  const held = await readFile(path, 'utf8').catch(() => undefined)
  if (held !== text) await replaceFile(path, text)
  return path
}
