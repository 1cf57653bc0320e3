/** Stand-ins for stores of secrets, written from their documented protocols; they share no code with the clients. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SinkConfig } from '../../src/pull-secrets/sinks/settings.ts'
import type { Asked } from './pull-secret-outside.ts'
import { listening } from './pull-secret-outside.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'

export interface StoreStandIn {
  config: SinkConfig
  env: Record<string, string>
  /** What a reader gets, by the name of the secret; undefined when there is none. */
  read(name: string): string | undefined
  /** Everything that was ever written under the name. */
  writes(name: string): number
  /** Versions that can still be read. */
  kept(name: string): number
  /** Somebody else makes a secret of that name. */
  occupy(name: string, value: string): void
  /** Answers every call with this. */
  outage: number | undefined
}

interface Version {
  id: string
  value: string
  isReadable: boolean
}

interface Held {
  versions: Version[]
  marks: Record<string, string>
  isDeleted: boolean
  written: number
}

const foreign = (value: string): Held => ({
  versions: [{ id: 'theirs', value, isReadable: true }],
  marks: {},
  isDeleted: false,
  written: 0,
})

type Answer = { status: number; body?: unknown }

async function store(
  t: TestScope,
  answer: (asked: Asked, held: Map<string, Held>) => Answer,
  configOf: (url: string, dir: string) => Pick<StoreStandIn, 'config' | 'env'>,
): Promise<StoreStandIn> {
  const held = new Map<string, Held>()
  const there = (name: string) => {
    const one = held.get(name)
    return one && !one.isDeleted ? one : undefined
  }
  const standIn: StoreStandIn = {
    config: { name: '', type: 'aws' },
    env: {},
    read: (name) => there(name)?.versions.at(-1)?.value,
    writes: (name) => held.get(name)?.written ?? 0,
    kept: (name) => held.get(name)?.versions.filter(({ isReadable }) => isReadable).length ?? 0,
    occupy: (name, value) => void held.set(name, foreign(value)),
    outage: undefined,
  }
  const { url } = await listening(t, (asked) =>
    standIn.outage === undefined ? answer(asked, held) : { status: standIn.outage, body: {} },
  )
  return Object.assign(standIn, configOf(url, tempDir(t)))
}

const write = (one: Held, id: string, value: string): void => {
  one.versions.push({ id, value, isReadable: true })
  one.written += 1
}

/** AWS Secrets Manager: JSON 1.1, the operation in a header. */
export const startSecretsManager = (t: TestScope): Promise<StoreStandIn> =>
  store(
    t,
    ({ headers, body }, held) => {
      const input = JSON.parse(body) as Record<string, string> & { Tags?: { Key: string; Value: string }[] }
      const name = input['Name'] ?? input['SecretId'] ?? ''
      const one = held.get(name)
      const refuse = (type: string): Answer => ({ status: 400, body: { __type: type, Message: type } })
      const operation = String(headers['x-amz-target']).replace('secretsmanager.', '')
      if (operation === 'CreateSecret') {
        if (one) return refuse(one.isDeleted ? 'InvalidRequestException' : 'ResourceExistsException')
        const marks = Object.fromEntries((input.Tags ?? []).map(({ Key, Value }) => [Key, Value]))
        const made: Held = { versions: [], marks, isDeleted: false, written: 0 }
        write(made, input['ClientRequestToken'] ?? '', input['SecretString'] ?? '')
        held.set(name, made)
        return { status: 200, body: { Name: name, VersionId: input['ClientRequestToken'] } }
      }
      if (!one) return refuse('ResourceNotFoundException')
      if (operation === 'DescribeSecret') {
        const Tags = Object.entries(one.marks).map(([Key, Value]) => ({ Key, Value }))
        return { status: 200, body: { Name: name, Tags, ...(one.isDeleted && { DeletedDate: 1 }) } }
      }
      if (operation === 'RestoreSecret') {
        one.isDeleted = false
        return { status: 200, body: { Name: name } }
      }
      if (one.isDeleted) return refuse('InvalidRequestException')
      if (operation === 'DeleteSecret') {
        if (Number(input['RecoveryWindowInDays']) < 7) return refuse('InvalidParameterException')
        one.isDeleted = true
        return { status: 200, body: { Name: name } }
      }
      if (operation !== 'PutSecretValue') return refuse('InvalidAction')
      const token = input['ClientRequestToken'] ?? ''
      const same = one.versions.find(({ id }) => id === token)
      if (same && same.value !== input['SecretString']) return refuse('ResourceExistsException')
      if (!same) write(one, token, input['SecretString'] ?? '')
      // AWSCURRENT and AWSPREVIOUS; what has no label is removed.
      one.versions = one.versions.slice(-2)
      return { status: 200, body: { Name: name, VersionId: token } }
    },
    (endpoint, dir) => {
      const secretAccessKeyFile = join(dir, 'key')
      writeFileSync(secretAccessKeyFile, 'static')
      const key = { accessKeyId: 'AKIAEXAMPLEEXAMPLE00', secretAccessKeyFile, allowStaticKeys: true }
      return { config: { name: 'aws', type: 'aws', region: 'us-east-1', endpoint, ...key }, env: {} }
    },
  )

/** Vault, KV version 2. */
export const startVaultKv = (t: TestScope): Promise<StoreStandIn> =>
  store(
    t,
    ({ method, url, headers, body }, held) => {
      if (url === '/v1/auth/kubernetes/login') {
        const { role, jwt } = JSON.parse(body) as { role: string; jwt: string }
        if (role !== 'lanyard' || jwt !== 'pod-token') return { status: 403, body: { errors: ['permission denied'] } }
        return { status: 200, body: { auth: { client_token: 'vault-token', lease_duration: 3_600 } } }
      }
      if (headers['x-vault-token'] !== 'vault-token') return { status: 403, body: { errors: ['permission denied'] } }
      const [, kind, name = ''] = /^\/v1\/secret\/(data|metadata)\/hyperfleet\/(.+)$/.exec(url) ?? []
      const one = held.get(name)
      if (kind === 'metadata' && method === 'POST') {
        const { custom_metadata: marks } = JSON.parse(body) as { custom_metadata: Record<string, string> }
        held.set(name, { versions: [], isDeleted: false, written: 0, ...one, marks })
        return { status: 204 }
      }
      if (!one) return { status: 404, body: { errors: [] } }
      const current = one.versions.length === 0 ? 0 : Number(one.versions.at(-1)?.id)
      if (kind === 'metadata' && method === 'DELETE') {
        one.isDeleted = true
        held.set(name, { ...one, versions: [], isDeleted: true })
        return { status: 204 }
      }
      if (one.isDeleted) {
        if (method === 'GET') return { status: 404, body: { errors: [] } }
      }
      if (kind === 'metadata')
        return { status: 200, body: { data: { current_version: current, custom_metadata: one.marks } } }
      if (method === 'GET') {
        const latest = one.versions.at(-1)
        if (!latest) return { status: 404, body: { errors: [] } }
        const data = { '.dockerconfigjson': latest.value }
        return { status: 200, body: { data: { data, metadata: { version: current } } } }
      }
      const put = JSON.parse(body) as { options: { cas: number }; data: Record<string, string> }
      if (put.options.cas !== current) return { status: 400, body: { errors: ['check-and-set'] } }
      write(one, String(current + 1), put.data['.dockerconfigjson'] ?? '')
      one.versions = one.versions.slice(-2)
      one.isDeleted = false
      return { status: 200, body: { data: { version: current + 1 } } }
    },
    (address, dir) => {
      const tokenFile = join(dir, 'token')
      writeFileSync(tokenFile, 'vault-token\n')
      return { config: { name: 'vault', type: 'vault', address, tokenFile }, env: {} }
    },
  )

/** Google Cloud's Secret Manager, and the metadata server. */
export const startGoogleSecrets = (t: TestScope): Promise<StoreStandIn> =>
  store(
    t,
    ({ method, url, headers, body }, held) => {
      if (url.startsWith('/computeMetadata/'))
        return headers['metadata-flavor'] === 'Google'
          ? { status: 200, body: { access_token: 'google-token', expires_in: 3_600 } }
          : { status: 403 }
      if (headers.authorization !== 'Bearer google-token') return { status: 401 }
      const { pathname, searchParams } = new URL(url, 'http://stand-in')
      const rest = pathname.replace('/v1/projects/fleet/secrets', '')
      if (method === 'POST' && rest === '') {
        const id = searchParams.get('secretId') ?? ''
        if (held.has(id)) return { status: 409 }
        const { labels } = JSON.parse(body) as { labels: Record<string, string> }
        held.set(id, { versions: [], marks: labels, isDeleted: false, written: 0 })
        return { status: 200, body: { name: `projects/1/secrets/${id}` } }
      }
      const [, id = '', more = ''] = /^\/([A-Za-z0-9_-]+)(.*)$/.exec(rest) ?? []
      const one = held.get(id)
      if (!one) return { status: 404 }
      const nameOf = ({ id: version }: Version) => `projects/1/secrets/${id}/versions/${version}`
      if (method === 'GET' && more === '') return { status: 200, body: { name: id, labels: one.marks } }
      if (method === 'DELETE') {
        held.delete(id)
        return { status: 200, body: {} }
      }
      if (more === ':addVersion') {
        const { payload } = JSON.parse(body) as { payload: { data: string } }
        write(one, String(one.versions.length + 1), Buffer.from(payload.data, 'base64').toString())
        return { status: 200, body: { name: nameOf(one.versions.at(-1) as Version) } }
      }
      if (more === '/versions/latest:access') {
        const latest = one.versions.at(-1)
        if (!latest) return { status: 404 }
        const data = Buffer.from(latest.value).toString('base64')
        return { status: 200, body: { name: nameOf(latest), payload: { data } } }
      }
      if (more === '/versions') {
        const versions = one.versions.map((version) => ({
          name: nameOf(version),
          state: version.isReadable ? 'ENABLED' : 'DESTROYED',
        }))
        return { status: 200, body: { versions: versions.reverse() } }
      }
      const destroyed = one.versions.find(({ id: version }) => more === `/versions/${version}:destroy`)
      if (!destroyed) return { status: 404 }
      destroyed.isReadable = false
      return { status: 200, body: {} }
    },
    (endpoint) => ({
      config: { name: 'google', type: 'google', project: 'fleet', endpoint },
      env: { GCE_METADATA_HOST: new URL(endpoint).host },
    }),
  )

/** Azure Key Vault, and the identity endpoint of a machine. */
export const startKeyVault = (t: TestScope): Promise<StoreStandIn> =>
  store(
    t,
    ({ method, url, headers, body }, held) => {
      const { pathname, searchParams } = new URL(url, 'http://stand-in')
      if (pathname === '/identity')
        return headers['metadata'] === 'true' && searchParams.get('resource') === 'https://vault.azure.net'
          ? { status: 200, body: { access_token: 'azure-token', expires_in: '3600' } }
          : { status: 400 }
      if (headers.authorization !== 'Bearer azure-token') return { status: 401 }
      if (!searchParams.get('api-version')) return { status: 400 }
      const [, kind, name = '', more = ''] = /^\/(secrets|deletedsecrets)\/([A-Za-z0-9-]+)(.*)$/.exec(pathname) ?? []
      const one = held.get(name)
      const shown = (version: Version | undefined) => ({
        id: `https://stand-in/secrets/${name}/${version?.id}`,
        tags: one?.marks,
        attributes: { enabled: version?.isReadable, created: Number(version?.id) },
      })
      if (kind === 'deletedsecrets') {
        if (!one?.isDeleted) return { status: 404 }
        if (method === 'POST' && more === '/recover') one.isDeleted = false
        return { status: 200, body: { tags: one.marks } }
      }
      if (method === 'PUT') {
        if (one?.isDeleted) return { status: 409 }
        const { value, tags } = JSON.parse(body) as { value: string; tags: Record<string, string> }
        const made: Held = one ?? { versions: [], marks: tags, isDeleted: false, written: 0 }
        write(made, String(made.versions.length + 1), value)
        held.set(name, { ...made, marks: tags })
        return { status: 200, body: { ...shown(made.versions.at(-1)), tags } }
      }
      if (!one || one.isDeleted) return { status: 404 }
      if (method === 'DELETE') {
        one.isDeleted = true
        return { status: 200, body: {} }
      }
      if (method === 'PATCH') {
        const version = one.versions.find(({ id }) => more === `/${id}`)
        if (!version) return { status: 404 }
        version.isReadable = (JSON.parse(body) as { attributes: { enabled: boolean } }).attributes.enabled
        return { status: 200, body: shown(version) }
      }
      if (more === '/versions') return { status: 200, body: { value: one.versions.map(shown) } }
      return { status: 200, body: { ...shown(one.versions.at(-1)), value: one.versions.at(-1)?.value } }
    },
    (vaultUrl) => ({
      config: { name: 'azure', type: 'azure', vaultUrl },
      env: { IDENTITY_ENDPOINT: `${vaultUrl}/identity` },
    }),
  )
