import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { addonSecrets } from '../../src/fleet/names.ts'
import { secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { ReadFile } from '../../src/kube/kubeconfig/index.ts'
import { addonName } from './hub.ts'

/** The Secret with the credential where it is mounted, as in a pod: no right on Secrets is needed. */
export const mountedAt =
  (folder: string): ReadFile =>
  (path) =>
    readFile(join(folder, basename(path)), 'utf8')

/** The same Secret read from the API, where nobody mounts it: its keys are the files. */
export const filesOfSecret =
  (spoke: Kube, namespace: string): ReadFile =>
  async (path) => {
    const { data = {} } = (await spoke.of(secrets, namespace).find(addonSecrets.kubeClient(addonName))) ?? {}
    const content = data[basename(path)]
    if (content === undefined) throw Object.assign(new Error('the credential is not there yet'), { code: 'ENOENT' })
    return Buffer.from(content, 'base64').toString()
  }
