import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Stored {
  salt: string
  hash: string
  isDisabled: boolean
}

/** One file an account, with a hash of its secret. Making a file that must not be there yet is what keeps names unique. */
export class Accounts {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  isThere = (): boolean => existsSync(this.#directory)
  has = (name: string): boolean => existsSync(this.#path(name))
  isDisabled = (name: string): boolean => this.#read(name)?.isDisabled ?? false

  /** Its secret; undefined when the name is taken. */
  create(name: string, chosen?: string): string | undefined {
    const secret = chosen ?? mint()
    try {
      writeFileSync(this.#path(name), JSON.stringify(hashed(secret)), { flag: 'wx', mode: 0o600 })
      return secret
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
      throw error
    }
  }

  /** Enabled, with another secret. */
  renew(name: string, chosen?: string): string {
    const secret = chosen ?? mint()
    this.#write(name, hashed(secret))
    return secret
  }

  disable(name: string): void {
    const stored = this.#read(name)
    if (stored) this.#write(name, { ...stored, isDisabled: true })
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true })
  }

  letsIn(name: string, secret: string): boolean {
    const stored = this.#read(name)
    if (!stored || stored.isDisabled) return false
    return timingSafeEqual(Buffer.from(stored.hash, 'hex'), Buffer.from(hashed(secret, stored.salt).hash, 'hex'))
  }

  /** Names come from Lanyard, checked; a driver that runs as root checks once more. */
  #path(name: string): string {
    if (!/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(name)) throw new Error('not a name')
    return join(this.#directory, `${name}.json`)
  }

  #read(name: string): Stored | undefined {
    return this.has(name) ? JSON.parse(readFileSync(this.#path(name), 'utf8')) : undefined
  }

  #write(name: string, stored: Stored): void {
    const next = `${this.#path(name)}.next`
    writeFileSync(next, JSON.stringify(stored), { mode: 0o600 })
    renameSync(next, this.#path(name))
  }
}

const mint = (): string => randomBytes(24).toString('base64url')

const hashed = (secret: string, salt = randomBytes(16).toString('hex')): Stored => ({
  salt,
  hash: scryptSync(secret, salt, 32, { N: 1024 }).toString('hex'),
  isDisabled: false,
})
