import type { Kube } from '../../src/kube/kube.ts'
import { goTypes } from './go-types.ts'
import { oneALine } from './one-a-line.ts'
import { openApi } from './openapi.ts'
import { bootstrapPolicy } from './policy.ts'
import { kindsOf, resources } from './resources.ts'
import { schemas } from './schemas.ts'

const kinds = 'src/embedded/kinds/facts'

/** The text of each file by its path from the root. The same server gives the same bytes. */
export async function factFiles(kube: Kube): Promise<Map<string, string>> {
  const found = await resources(kube)
  const written = await schemas(kube, kindsOf(found.resources))
  return new Map([
    ['src/embedded/authorization/facts/bootstrap-policy.json', oneALine(await bootstrapPolicy(kube))],
    [`${kinds}/resources.json`, oneALine({ resources: found.resources })],
    [`${kinds}/columns.json`, oneALine({ columns: found.columns })],
    [`${kinds}/schemas.json`, oneALine(written)],
    [`${kinds}/go-types.json`, oneALine(await goTypes(kube, found.resources, written))],
    [`${kinds}/openapi.json`, oneALine(await openApi(kube))],
    [`${kinds}/version.json`, oneALine(await version(kube))],
  ])
}

/** The version of the API. How that server was built is its own business. */
async function version(kube: Kube): Promise<Record<string, string>> {
  const { gitCommit, gitTreeState, buildDate, goVersion, compiler, platform, ...api } = await kube.request<
    Record<string, string>
  >({ path: '/version' })
  return api
}
