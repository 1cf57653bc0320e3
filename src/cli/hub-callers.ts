import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Callers } from '../server/index.ts'
import { failures } from './failures.ts'
import type { HubOptions } from './hub.ts'

type Flags = Pick<HubOptions, 'admissionClientCaFile' | 'admissionClientNames'>

/** Which API servers may call the webhooks of a hub. Undefined: no certificate is asked for. */
export async function callersOf({
  admissionClientCaFile: file,
  admissionClientNames: names = [],
}: Flags): Promise<Callers | undefined> {
  if (file === undefined) {
    if (names.length > 0) throw failures.CALLER_NAMES_ALONE()
    return undefined
  }
  const ca = () => authoritiesIn(file)
  // The hub refuses to start with a file that it cannot use.
  await ca()
  return { ca, names }
}

async function authoritiesIn(file: string): Promise<string> {
  try {
    const pem = await readFile(file, 'utf8')
    new X509Certificate(pem)
    return pem
  } catch (error) {
    const { code = 'it is not PEM' } = error as { code?: string }
    throw failures.CALLER_CA_UNUSABLE({ file, detail: code.startsWith('ERR_') ? 'it is not PEM' : code })
  }
}
