import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, open, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isFailure } from '../failure.ts'
import { failures } from '../failures.ts'
import { Secret } from '../secret.ts'
import type { ConfigInput, SecretReference } from './resolve.ts'
import { resolveConfig } from './resolve.ts'
import type { Config, ConfigSchema } from './settings.ts'

export interface ConfigSources extends Omit<ConfigInput, 'file'> {
  /** The path of `lanyard.yaml`. One marked optional may be missing, such as the one at the usual place. */
  file?: string | { path: string; optional: boolean }
}

export interface LoadedConfig<S extends ConfigSchema> {
  readonly config: Config<S>
  /** Names of variables that look like settings and are none: to be warned of. */
  readonly unknownVariables: readonly string[]
  /** Every file that was read, the configuration and its secrets. */
  readonly files: readonly string[]
  /** Equal when nothing was different in any of the files. A Secret, because a weak secret could be guessed from it. */
  readonly fingerprint: Secret
}

/** Reads, resolves and checks. Throws one failure of the CONFIG_ family that tells every mistake. */
export async function loadConfig<S extends ConfigSchema>(
  schema: S,
  { file, ...sources }: ConfigSources,
): Promise<LoadedConfig<S>> {
  const { path, optional } = typeof file === 'object' ? file : { path: file, optional: false }
  const hash = createHash('sha256')
  const input: ConfigInput = { ...sources }
  const text = path === undefined ? undefined : await readConfigFile(path, optional)
  if (path !== undefined && text !== undefined) {
    hash.update(text)
    const { parseConfigFile } = await import('./yaml-file.ts')
    input.file = parseConfigFile(path, text)
  }
  const { config, secrets, unknownVariables } = resolveConfig(schema, input)
  const files = path === undefined ? [] : [resolve(path)]
  for (const reference of secrets) {
    const secretPath = placeOf(reference, path)
    const value = await readSecret(reference, secretPath)
    hash.update('\0').update(value)
    put(config, reference.path, Secret.of(value))
    files.push(secretPath)
  }
  return { config: config as Config<S>, unknownVariables, files, fingerprint: Secret.of(hash.digest('hex')) }
}

/** A relative path in the configuration file starts at that file, any other at the working folder. */
const placeOf = ({ file, origin }: SecretReference, configPath: string | undefined): string =>
  configPath !== undefined && origin.startsWith(`${configPath}:`) ? resolve(dirname(configPath), file) : resolve(file)

/**
 * One that nobody named but that lies where it is looked for must be the user's own, or the machine's: it may name a
 * kubeconfig, and that a program to run. In a folder that others write to, such as /tmp, it could be anybody's.
 */
async function readOwn(file: string): Promise<string> {
  const link = await lstat(file)
  // What is looked at is what is read, whatever becomes of the name meanwhile.
  await using handle = await open(file)
  if (!isOwn(link) || !isOwn(await handle.stat())) throw failures.CONFIG_OF_OTHERS({ file })
  return await handle.readFile('utf8')
}

function isOwn(file: Stats): boolean {
  const me = process.getuid?.()
  const mayOthersWrite = !file.isSymbolicLink() && (file.mode & 0o002) !== 0
  return me === undefined || ((file.uid === me || file.uid === 0) && !mayOthersWrite)
}

async function readConfigFile(file: string, optional: boolean): Promise<string | undefined> {
  try {
    return optional ? await readOwn(file) : await readFile(file, 'utf8')
  } catch (error) {
    if (isFailure(error)) throw error
    if (optional && codeOf(error) === 'ENOENT') return undefined
    throw failures.CONFIG_UNREADABLE({ file, detail: detailOf(error) }, error)
  }
}

async function readSecret({ setting, origin }: SecretReference, path: string): Promise<string> {
  const fail = (detail: string, cause?: unknown) =>
    failures.CONFIG_SECRET_UNREADABLE({ field: setting, origin, detail }, cause)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fail(detailOf(error), error)
  })
  // Editors and `echo` end a file with a newline that is no part of the secret.
  const value = text.replace(/\r?\n$/, '')
  if (value === '') throw fail('it is empty')
  return value
}

function put(config: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const parent = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, config)
  parent[path.at(-1) ?? ''] = value
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const details: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'this process may not read it',
  EPERM: 'this process may not read it',
  EISDIR: 'it is a folder',
}

const detailOf = (error: unknown): string => details[String(codeOf(error))] ?? `reading failed with ${codeOf(error)}`
