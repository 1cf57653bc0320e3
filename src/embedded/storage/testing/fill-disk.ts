// Serves a plane from a folder on a small disk, fills the disk through the API, makes room, and prints what happened.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rawRequest } from '../../../../test/support/raw-request.ts'
import { systemClock } from '../../../core/clock.ts'
import { silentLog } from '../../../core/log.ts'
import { systemRandom } from '../../../core/random.ts'
import { startEmbedded } from '../../start.ts'

const [, , disk = ''] = process.argv
const dir = join(disk, 'kube')
const ballast = join(disk, 'ballast')
writeFileSync(ballast, Buffer.alloc(512 * 1024))

const deps = { clock: systemClock, random: systemRandom, log: silentLog }
const plane = await startEmbedded({ dir, ...deps })
const { admin, serverCa } = plane.identities
const to = { url: plane.url, caPem: serverCa.certPem, admin }
const maps = '/api/v1/namespaces/default/configmaps'

const create = (name: string) =>
  rawRequest(to, {
    method: 'POST',
    path: maps,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { x: 'x'.repeat(100_000) } }),
  })
const read = async () => (await rawRequest(to, { path: maps })).json.items.map(named).filter(isOurs)
const named = ({ metadata }: { metadata: { name: string } }) => metadata.name
const isOurs = (name: string) => name.startsWith('c-')

const taken: string[] = []
let refusal: { code: number; json: { kind: string; reason: string } } | undefined
for (let count = 0; count < 200 && !refusal; count++) {
  const answer = await create(`c-${count}`)
  if (answer.code === 201) taken.push(`c-${count}`)
  else refusal = answer
}
const readsGoOn = (await read()).sort().join() === taken.toSorted().join()
const watching = await rawRequest(to, { path: `${maps}?watch=1&timeoutSeconds=1` })
rmSync(ballast)
const again = await create('c-again')
if (again.code === 201) taken.push('c-again')
await plane.close()
const second = await startEmbedded({ dir, ...deps })
const url = second.url
const kept = (await rawRequest({ ...to, url }, { path: maps })).json.items.map(named).filter(isOurs)
await second.close()
process.stdout.write(
  `${JSON.stringify({
    taken: taken.length,
    refused: refusal && [refusal.code, refusal.json.kind, refusal.json.reason],
    readsGoOn,
    watched: watching.text.includes('"ADDED"'),
    again: again.code,
    isAllKept: kept.sort().join() === taken.toSorted().join(),
    bytes: readFileSync(join(dir, 'state.db')).length,
  })}\n`,
)
process.exit(0)
