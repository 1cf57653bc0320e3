import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { after, systemClock } from '../core/clock.ts'
import { failures as coreFailures } from '../core/failures.ts'
import { isAbort } from '../core/lifecycle.ts'
import { createMetrics } from '../core/metrics.ts'
import { systemRandom } from '../core/random.ts'
import { Secret } from '../core/secret.ts'
import { migrate } from '../pull-secrets/store/database.ts'
import type { Address } from '../server/listener.ts'
import type { CertificateSource } from '../server/serving-certificate.ts'
import { calledBy } from './called.ts'
import { failures } from './failures.ts'
import { addressOf } from './flag-values.ts'
import { checkpointFrom } from './kill-at.ts'
import { progressOn } from './progress.ts'
import { openTablesBeside } from './pull-secrets-database.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'
import type { ServeOptions } from './pull-secrets-serve.ts'
import { pullFolder } from './pull-secrets-server.ts'
import { pullService } from './pull-secrets-service.ts'
import type { Settings } from './settings.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

const lastMs = 500

/** `lanyard pull-secrets serve`: until it is stopped. */
export async function runServe(flags: ServeOptions, command: Command, stop: Stop): Promise<void> {
  const { settings, log } = await loadSettings(command, settingsIn(flags))
  const config = settings.pullSecrets
  const folder = pullFolder(settings.data)
  const { show, fail } = progressOn(process.stdout, calledBy(command))
  const metrics = await createMetrics({ process: true })
  const checkpoint = checkpointFrom(process.env['LANYARD_KILL_AT'])
  const listen = checkedListen(config, flags)
  const certificate = certificateOf(config)
  process.stdout.write(`The pull secret service starts, its data in ${folder}. Press Ctrl-C to stop.\n`)
  await using standIns = flags.standIns ? await standInsIn(folder) : undefined
  const registries = standIns?.configs ?? config.registries ?? []
  if (registries.length === 0) throw failures.PULL_NO_REGISTRIES()
  const service = pullService(
    {
      folder,
      config,
      registries,
      listen,
      probes: {
        health: parsedAddress('healthListen', config.healthListen),
        metrics: parsedAddress('metricsListen', config.metricsListen),
      },
      ...(certificate && { certificate }),
      environmentUrl: process.env['DATABASE_URL'],
      environment: process.env,
      ...(settings.kubeconfig !== undefined && { kubeconfig: settings.kubeconfig }),
      show,
      onReady({ url, healthUrl, metricsUrl }) {
        show({ did: 'the pull secret service is ready', detail: `${url}, for ${registries.length} registries` })
        show({ did: 'health and metrics are served', detail: `${healthUrl}/readyz, ${metricsUrl}/metrics` })
        const begin = `lanyard pull-secrets generate west --provider gcp --region us-east1${dataFlag(settings)}`
        show({ did: 'give a cluster its pull secret with', detail: begin })
      },
    },
    { clock: systemClock, random: systemRandom, log, metrics, checkpoint },
  )
  try {
    await service(stop.signal)
  } catch (error) {
    fail()
    if (!isAbort(error, stop.signal)) throw error
  }
  process.exitCode = 0
  process.stdout.write('The pull secret service has stopped.\n')
  // What still hangs in a call outside is left, and found by the next start.
  setTimeout(() => process.exit(0), lastMs).unref()
}

const dataFlag = ({ data }: Settings): string => (data === '.lanyard' ? '' : ` --data ${data}`)

/** `lanyard pull-secrets migrate` */
export async function runMigrate(command: Command, stop: Stop): Promise<void> {
  const { settings, log } = await loadSettings(command, settingsIn(command.opts()))
  const { show } = progressOn(process.stdout, calledBy(command))
  const deps = { clock: systemClock, log, signal: stop.signal }
  const options = {
    folder: pullFolder(settings.data),
    config: settings.pullSecrets,
    environmentUrl: process.env['DATABASE_URL'],
    show,
  }
  await using tables = await openTablesBeside(options, deps)
  show({ doing: 'bringing the tables up to date' })
  await migrate(tables.database.db, deps)
  show({ did: 'the tables are up to date' })
}

/** Flags of the commands, as the settings they stand for. */
export const settingsIn = (flags: Partial<ServeOptions>): Record<string, unknown> => ({
  'pullSecrets.listen': flags.listen,
  'pullSecrets.healthListen': flags.healthListen,
  'pullSecrets.metricsListen': flags.metricsListen,
  'pullSecrets.tlsCertFile': flags.tlsCertFile,
  'pullSecrets.tlsKeyFile': flags.tlsKeyFile,
  'pullSecrets.keyRingFile': flags.keyRingFile,
  'pullSecrets.databaseUrlFile': flags.databaseUrlFile,
  'pullSecrets.migrate': flags.migrate === false ? false : undefined,
})

function parsedAddress(setting: string, text: string): Address {
  try {
    return addressOf(text)
  } catch (error) {
    const problem = error instanceof InvalidArgumentError ? `is wrong: ${error.message}` : 'is wrong'
    throw coreFailures.CONFIG_WRONG_VALUE({ field: `pullSecrets.${setting}`, origin: text, problem }, error)
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

function checkedListen(config: PullSecretsConfig, { plainHttp = false }: ServeOptions): Address {
  const listen = parsedAddress('listen', config.listen)
  const hasTls = config.tlsCertFile !== undefined
  if (!hasTls && !plainHttp && !isLoopback(listen.host)) throw failures.PULL_NEEDS_TLS({ address: config.listen })
  return listen
}

const certificateLookMs = 60_000

/** Read again every minute: whoever renews it replaces the files. */
function certificateOf({ tlsCertFile, tlsKeyFile }: PullSecretsConfig): CertificateSource | undefined {
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return undefined
  if (tlsCertFile === undefined || tlsKeyFile === undefined) throw failures.PULL_TLS_HALF()
  return async () => ({
    certPem: await readPem(tlsCertFile, '--tls-cert-file'),
    keyPem: Secret.of(await readPem(tlsKeyFile, '--tls-key-file')),
    renewAt: after(systemClock.now(), certificateLookMs),
  })
}

const readPem = (path: string, flag: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw failures.FILE_UNREADABLE({ path, flag, detail: error.code }, error)
  })

async function standInsIn(folder: string) {
  const { startDemoRegistries } = await import('../demo/registries/demo-set.ts')
  return await startDemoRegistries(`${folder}/stand-ins`)
}
