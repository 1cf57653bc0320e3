#!/usr/bin/env node
/** A registry driver: one request on standard input, one answer on standard output. See README.md. */
import { Accounts } from './accounts.ts'

/** What became of the request, where it is not done. Every other code leaves it open. */
const exit = { nameTaken: 10, unavailable: 12, refused: 14 }

interface Request {
  action: string
  name?: string
  username?: string
  secret?: string
  token?: string
  settings?: { directory?: string }
}

const request: Request = JSON.parse(Buffer.concat(await Array.fromAsync<Buffer>(process.stdin)).toString())
const { directory } = request.settings ?? {}
if (!directory) process.exit(exit.refused)
const accounts = new Accounts(directory)
const name = request.name ?? ''

const actions: Record<string, () => unknown> = {
  create() {
    const token = accounts.create(name, request.secret)
    return token === undefined ? process.exit(exit.nameTaken) : { username: name, token }
  },
  find: () => ({ found: accounts.has(name), isDisabled: accounts.isDisabled(name) }),
  finish: () => ({ username: name, token: accounts.renew(name, request.secret) }),
  remove: () => accounts.remove(name),
  disable: () => accounts.disable(name),
  enable: () => (accounts.has(name) ? { username: name, token: accounts.renew(name) } : { found: false }),
  validate: () => ({ valid: accounts.letsIn(request.username ?? '', request.token ?? '') }),
  check: () => (accounts.isThere() ? {} : process.exit(exit.unavailable)),
}

const answer = (actions[request.action] ?? (() => process.exit(exit.refused)))()
process.stdout.write(JSON.stringify(answer ?? {}))
