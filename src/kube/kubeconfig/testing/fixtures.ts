import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Secret } from '../../../core/secret.ts'
import { createSelfSigned } from '../../../pki/index.ts'
import type { Connection } from '../../connection.ts'
import type { ConnectionOptions } from '../connection-of.ts'
import { connectionOf } from '../connection-of.ts'
import { parseKubeconfig } from '../kubeconfig.ts'

/** A certificate with its key, as PEM and as the base64 of a `-data` field. */
export interface Fixture {
  certPem: string
  keyPem: string
  certData: string
  keyData: string
}

export async function aCertificate(commonName: string): Promise<Fixture> {
  const made = await createSelfSigned({
    subject: { commonName },
    clock: new FakeClock(),
    lifetimeMs: 86_400_000,
    usages: ['client', 'server'],
  })
  const keyPem = made.keyPem.reveal()
  return { certPem: made.certPem, keyPem, certData: base64(made.certPem), keyData: base64(keyPem) }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A folder of real files for one test. */
export interface Folder {
  path: string
  at(name: string): string
  write(name: string, text: string): string
  read(name: string): string
}

export function aFolder(t: TestScope): Folder {
  const path = tempDir(t)
  const at = (name: string) => join(path, name)
  return {
    path,
    at,
    read: (name) => readFileSync(at(name), 'utf8'),
    write: (name, text) => {
      writeFileSync(at(name), text)
      return at(name)
    },
  }
}

/** One context over a cluster and a user given as lines of YAML, deep enough to stand in their entries. */
export const aKubeconfig = ({ cluster = '', user = '', namespace = '' } = {}): string => `
apiVersion: v1
kind: Config
current-context: west
contexts:
- name: west
  context: {cluster: west-cluster, user: admin${namespace && `, namespace: ${namespace}`}}
clusters:
- name: west-cluster
  cluster:
    server: https://west.example:6443
${indented(cluster)}
users:
- name: admin
  user:
${indented(user)}
`

const indented = (lines: string): string => lines.replace(/^/gm, '    ')

/** The connection of a kubeconfig text that pretends to stand in `folder`. */
export async function connection(
  text: string,
  { folder, ...options }: Partial<ConnectionOptions> & { folder?: Folder } = {},
): Promise<Connection> {
  const config = parseKubeconfig(text, { file: folder?.at('config') ?? '/nowhere/config' })
  const found = await connectionOf(config, { source: 'the test', clock: new FakeClock(), env: process.env, ...options })
  return found.connection
}

/** The failure that `action` ends in, checked not to show any of `secrets` however it is printed. */
export async function failureOf(action: () => unknown, code: string, ...secrets: string[]): Promise<Failure> {
  let failure: unknown
  try {
    await action()
  } catch (error) {
    failure = error
  }
  if (!isFailure(failure)) throw new Error(`expected ${code}, not ${inspect(failure)}`)
  assert.equal(failure.code, code, failure.message)
  mustNotShow(failure, ...secrets)
  return failure
}

/** Asserts that no way of printing a value shows a secret, plain or encoded. */
export function mustNotShow(value: unknown, ...secrets: string[]): void {
  const printed = [
    inspect(value, { depth: 20, showHidden: true, getters: true }),
    JSON.stringify(value) ?? '',
    String(value),
    value instanceof Error ? `${value.stack}` : '',
  ].join('\n')
  for (const secret of secrets) {
    for (const form of [secret, base64(secret), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      assert.ok(!printed.includes(form), `shows a secret: ${printed}`)
  }
}

export const revealed = (secret: Secret | undefined): string | undefined => secret?.reveal()
