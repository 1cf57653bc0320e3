import { Command } from 'commander'
import { withLocalFlags } from './pull-secrets-server.ts'
import type { Stop } from './stop-signal.ts'

export interface ServeOptions {
  listen?: string
  healthListen?: string
  metricsListen?: string
  tlsCertFile?: string
  tlsKeyFile?: string
  keyRingFile?: string
  databaseUrlFile?: string
  migrate: boolean
  plainHttp?: boolean
  standIns?: boolean
}

const examples = `
Examples:
  lanyard pull-secrets serve --stand-ins     everything on this machine: a database, keys, registries that are made up
  lanyard pull-secrets serve --config lanyard.yaml
  DATABASE_URL=postgresql://… lanyard pull-secrets serve --key-ring-file keys.json \\
    --listen :8000 --tls-cert-file tls.crt --tls-key-file tls.key

It needs no Kubernetes. Without a database of yours it runs one in its data folder, and keeps the keys beside it.`

export const serveCommand = (stop: Stop): Command =>
  withDatabaseFlags(withLocalFlags(new Command('serve')))
    .description('Run the pull secret service until it is stopped.')
    .option('--listen <address>', 'where the REST API is served (default: 127.0.0.1:8000)')
    .option('--health-listen <address>', 'where /healthz and /readyz are served (default: 127.0.0.1:8080)')
    .option('--metrics-listen <address>', 'where /metrics is served (default: 127.0.0.1:9090)')
    .option('--tls-cert-file <file>', 'certificate of the REST API, PEM')
    .option('--tls-key-file <file>', 'its key, PEM')
    .option('--plain-http', 'without TLS on other addresses than those of this machine')
    .option('--no-migrate', 'do not bring the tables up to date: `lanyard pull-secrets migrate` did')
    .option('--stand-ins', 'with registries that are made up, in this process, in place of the configured ones')
    .addHelpText('after', examples)
    .action(async (options: ServeOptions, command: Command) =>
      (await import('./pull-secrets-run.ts')).runServe(options, command, stop),
    )

export const migrateCommand = (stop: Stop): Command =>
  withDatabaseFlags(withLocalFlags(new Command('migrate')))
    .description('Bring the tables of the database up to date, and nothing else.')
    .action(async (_options: object, command: Command) =>
      (await import('./pull-secrets-run.ts')).runMigrate(command, stop),
    )

/** Which database and which keys. The URL holds a password, so that it is never an argument. */
export const withDatabaseFlags = (command: Command): Command =>
  command
    .option(
      '--database-url-file <file>',
      'a file with the URL of a PostgreSQL (default: DATABASE_URL, or one of our own)',
    )
    .option('--key-ring-file <file>', 'the keys that seal tokens (default: made in the data folder)')
