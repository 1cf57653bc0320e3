import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { linesIn } from '../../core/text-lines.ts'
import { parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import type { Entry } from '../storage/store.ts'
import type { Snapshot } from './snapshot.ts'
import { snapshotPath } from './snapshot-answer.ts'

/** A process that lives and says nothing for so long is given up. */
const silenceMs = 30_000

/** The objects of a plane that runs, as it has them in memory. Its folder says where it is and who may ask. */
export async function objectsOfRunning(
  dir: string,
  signal: AbortSignal,
): Promise<Pick<Snapshot, 'revision' | 'objects'>> {
  const answer = await ask(dir, signal)
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`)
  const objects: Entry[] = []
  let [revision, isAll] = [0, false]
  for await (const line of linesIn(answer.setEncoding('utf8'))) {
    const said = JSON.parse(line) as { entry?: Entry; revision?: number; isAll?: boolean }
    if (said.entry) objects.push(said.entry)
    revision = said.revision ?? revision
    isAll ||= said.isAll === true
  }
  if (!isAll) throw new Error('its answer was cut off')
  return { revision, objects }
}

async function ask(dir: string, signal: AbortSignal): Promise<IncomingMessage> {
  const file = join(dir, 'admin.kubeconfig')
  const { clusters, users } = parseKubeconfig(await readFile(file, 'utf8'), { file })
  const [cluster, user] = [clusters[0]?.value, users[0]?.value]
  const asked = request(new URL(snapshotPath, cluster?.server), {
    ca: cluster?.certificateAuthorityData,
    cert: user?.clientCertificateData,
    key: user?.clientKeyData?.reveal(),
    timeout: silenceMs,
    signal,
  })
  asked.once('timeout', () => asked.destroy(new Error(`it was silent for ${silenceMs / 1_000} seconds`)))
  asked.end()
  const [answer] = await once(asked, 'response')
  // From here on whoever reads the answer hears of it.
  asked.on('error', () => {})
  return answer as IncomingMessage
}
