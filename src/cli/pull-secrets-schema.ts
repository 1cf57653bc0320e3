import type { Static } from 'typebox'
import * as Type from 'typebox'
import { secretSetting } from '../core/config.ts'
import { accessSettings, limitSettings } from '../fleet/identity/settings.ts'
import { eventSettings, statusSettings } from '../pull-secrets/events/settings.ts'
import { registriesSchema } from '../pull-secrets/registries/schema.ts'
import { sinkSettings } from '../pull-secrets/sinks/settings.ts'

const text = (description: string) => Type.String({ minLength: 1, description })
const path = (description: string) => text(`${description} A relative path starts at the working folder.`)
const address = (byDefault: string, description: string) =>
  Type.String({ default: byDefault, minLength: 1, description })
const seconds = (byDefault: number, description: string) =>
  Type.Number({ default: byDefault, exclusiveMinimum: 0, description })

const rotation = Type.Object(
  {
    policyDays: Type.Integer({ default: 90, minimum: 1, description: 'Age at which credentials are renewed.' }),
    jitter: Type.Number({ default: 0.1, minimum: 0, maximum: 1, description: 'Share of it by which clusters spread.' }),
    graceDays: Type.Number({ default: 7, minimum: 0, description: 'How long old credentials live beside new ones.' }),
    onGraceExpiry: Type.Union([Type.Literal('revoke'), Type.Literal('hold')], {
      default: 'revoke',
      description: 'What becomes of old credentials that nobody confirmed the new ones of.',
    }),
    warnHours: Type.Number({ default: 24, minimum: 0, description: 'Before the end of the grace.' }),
    attempts: Type.Integer({ default: 20, minimum: 1, description: 'To make new credentials, before it has failed.' }),
    maxPerHour: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Scheduled rotations begun an hour. 0: all that are due.',
    }),
    historyDays: Type.Integer({ default: 90, minimum: 1, description: 'How long ended rotations are listed.' }),
  },
  { default: {}, description: 'When and how credentials are renewed.' },
)

const pool = Type.Object(
  {
    enabled: Type.Boolean({ default: false, description: 'Whether accounts are made in advance.' }),
    high: Type.Integer({ default: 100, minimum: 1, description: 'How many a registry.' }),
    low: Type.Integer({ default: 25, minimum: 0, description: 'Below this somebody is told.' }),
    batch: Type.Integer({ default: 20, minimum: 1, description: 'How many are made at a time.' }),
    maxIdleDays: Type.Integer({ default: 30, minimum: 1, description: 'Older ones are replaced.' }),
  },
  { default: {}, description: 'Accounts made in advance.' },
)

const loops = Type.Object(
  {
    sweep: seconds(30, 'Looks for what a crash left behind.'),
    sweepAfter: seconds(30, 'How old something is before somebody else takes it up.'),
    rotation: seconds(60, 'Takes rotations a step further.'),
    schedule: seconds(300, 'Starts rotations that are due.'),
    pool: seconds(300, 'Fills pools.'),
    expiry: seconds(300, 'Removes what has expired.'),
    outbox: seconds(1, 'Publishes events.'),
    delivery: seconds(5, 'Writes copies to sinks.'),
    reencryption: seconds(60, 'Seals tokens with the active key.'),
  },
  { default: {}, description: 'Seconds between two looks of what runs in the background.' },
)

/** Unknown keys are mistakes of the configuration anyhow, and a structural schema has no word for it. */
function withoutClosing<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutClosing) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const fields = Object.entries(schema).filter(([name, value]) => name !== 'additionalProperties' || value !== false)
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutClosing(value)])) as T
}

/** The section `pullSecrets` of lanyard.yaml. */
export const pullSecretsSchema = Type.Object(
  {
    listen: address('127.0.0.1:8000', 'Where the REST API is served.'),
    healthListen: address('127.0.0.1:8080', 'Where /healthz and /readyz are served, without TLS.'),
    metricsListen: address('127.0.0.1:9090', 'Where /metrics is served, without TLS.'),
    tlsCertFile: Type.Optional(path('Certificate of the REST API, PEM. Absent: no TLS, and only on this machine.')),
    tlsKeyFile: Type.Optional(path('Its key, PEM.')),
    databaseUrl: Type.Optional(
      secretSetting({ description: 'URL of a PostgreSQL. Absent: DATABASE_URL, or one that Lanyard runs itself.' }),
    ),
    databaseConnections: Type.Integer({ default: 10, minimum: 2, description: 'Connections for data.' }),
    lockConnections: Type.Integer({ default: 10, minimum: 1, description: 'Connections for cluster locks.' }),
    keyRingFile: Type.Optional(
      path('The keys that seal tokens. Needed with a database; else made beside the database that Lanyard runs.'),
    ),
    migrate: Type.Boolean({ default: true, description: 'Whether a start brings the tables up to date.' }),
    instanceId: Type.String({
      default: 'default',
      minLength: 1,
      maxLength: 63,
      description: 'Tells installations at one registry apart.',
    }),
    extraProviders: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Clouds besides gcp, aws and azure.',
    }),
    registries: Type.Optional(registriesSchema),
    rotation,
    pool,
    loops,
    auth: withoutClosing(accessSettings),
    limits: limitSettings,
    events: eventSettings,
    status: statusSettings,
    sinks: withoutClosing(sinkSettings),
    drainSeconds: Type.Number({
      default: 15,
      minimum: 0,
      description: 'How long requests under way may take to end once the service is told to stop.',
    }),
  },
  { default: {}, description: 'The pull secret service.' },
)

export type PullSecretsConfig = Static<typeof pullSecretsSchema>
