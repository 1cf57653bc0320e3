import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Why a test cannot run parts of this checkout as somebody else; false where it can. */
export const whyNobodyElse: string | false =
  process.getuid?.() !== 0
    ? 'only root can be somebody else'
    : !isOpenToAll(import.meta.dirname) && 'other users cannot enter the folder of this checkout'

function isOpenToAll(folder: string): boolean {
  const above = dirname(folder)
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpenToAll(above))
}
