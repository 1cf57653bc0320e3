import { basename } from 'node:path'
import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import type { Connection } from '../../kube/connection.ts'
import { connectionOf, parseKubeconfig } from '../../kube/kubeconfig/index.ts'

export const textIn = ({ data }: Secret, key: string): string | undefined => {
  const found = data?.[key]
  return found === undefined ? undefined : Buffer.from(found, 'base64').toString()
}

/** Where the kubeconfig in a Secret leads. The files it names are the Secret's other keys. */
export async function connectionIn(secret: Secret, clock: Clock): Promise<Connection> {
  const source = `Secret ${secret.metadata?.namespace}/${secret.metadata?.name}`
  const config = parseKubeconfig(textIn(secret, 'kubeconfig') ?? '', { file: `/${source}/kubeconfig` })
  const readFile = async (path: string) => {
    const text = textIn(secret, basename(path))
    if (text === undefined) throw Object.assign(new Error(`no key ${basename(path)}`), { code: 'ENOENT' })
    return text
  }
  return (await connectionOf(config, { source, clock, env: {}, readFile })).connection
}
