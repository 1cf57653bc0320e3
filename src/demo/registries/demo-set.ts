import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../core/replace-file.ts'
import type { RegistryConfig } from '../../pull-secrets/registries/config.ts'
import type { QuayStandIn } from './quay.ts'
import { startQuay } from './quay.ts'
import type { RedhatStandIn } from './redhat.ts'
import { startRedhat } from './redhat.ts'

export interface DemoRegistries extends AsyncDisposable {
  quay: QuayStandIn
  redhat: RedhatStandIn
  /** The usual four hosts, with these two behind them. */
  configs: RegistryConfig[]
}

const org = 'redhat-openshift'
const team = 'hyperfleet-installers'
const partnerCode = 'ocm-service'

/** Registries to try the service with, on this machine: what they hold stays in the folder. */
export async function startDemoRegistries(folder: string): Promise<DemoRegistries> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const tokenFile = join(folder, 'registry-token')
  const bearer = await tokenKeptIn(tokenFile)
  const quay = await startQuay({ org, team, bearer, stateFile: join(folder, 'quay.json') })
  const redhat = await startRedhat({ partnerCode, bearer, stateFile: join(folder, 'redhat.json') })
  const common = { auth: { tokenFile }, rate: { rps: 100, burst: 100 } }
  return {
    quay,
    redhat,
    configs: [
      {
        ...common,
        id: 'quay',
        type: 'Quay',
        url: 'quay.io',
        orgName: org,
        teamName: team,
        apiBaseUrl: quay.url,
        loginUrl: `http://${quay.host}/v2/auth`,
      },
      { id: 'cloud-openshift', type: 'Quay', url: 'cloud.openshift.com', credentialSource: 'quay', cloudAlias: true },
      {
        ...common,
        id: 'redhat',
        type: 'Redhat',
        url: 'registry.redhat.io',
        apiBaseUrl: redhat.url,
        partnerCode,
        loginUrl: `http://${redhat.host}/v2/auth`,
      },
      { id: 'redhat-connect', type: 'Redhat', url: 'registry.connect.redhat.com', credentialSource: 'redhat' },
    ],
    async [Symbol.asyncDispose]() {
      await quay[Symbol.asyncDispose]()
      await redhat[Symbol.asyncDispose]()
    },
  }
}

/** The same for as long as the folder is there: a second service on it, which will be refused, leaves the first its token. */
async function tokenKeptIn(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(() => '')
  if (kept) return kept
  const made = randomBytes(24).toString('base64url')
  await replaceFile(path, made)
  return made
}
