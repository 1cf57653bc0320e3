import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DemoPerson, DeviceCheck } from './people.ts'

export interface LoginPageDeps {
  people: readonly DemoPerson[]
  state(userCode: string): Promise<DeviceCheck>
  logIn(userCode: string, person: DemoPerson): Promise<DeviceCheck>
}

export const loginPath = '/device'

const mostBytes = 4_096
const words: Readonly<Record<DeviceCheck, string>> = {
  waiting: 'Who are you?',
  used: 'This code was used already. Start again with lanyard access login.',
  expired: 'This code has expired. Start again with lanyard access login.',
  unknown: 'There is no such code. Type it as lanyard access login shows it.',
}

/**
 * Where people log in: they pick an account, without a password. For one machine only, where everybody who gets here
 * is the same person anyhow. It sets no cookie: who holds a code decides about that code and nothing else.
 */
export const loginPage =
  ({ people, state, logIn }: LoginPageDeps) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'https://localhost')
    const form = request.method === 'POST' ? await formOf(request) : url.searchParams
    const userCode = form.get('user_code') ?? ''
    const person = people.find(({ username }) => username === form.get('account'))
    if (request.method === 'POST' && person) {
      const found = await logIn(userCode, person)
      if (found === 'waiting') return send(response, 200, page(`${person.name} is logged in. You may close this page.`))
      return send(response, 400, page(words[found], codeForm))
    }
    if (userCode === '') return send(response, 200, page('Which code does lanyard access login show?', codeForm))
    const found = await state(userCode)
    if (found !== 'waiting') return send(response, 400, page(words[found], codeForm))
    send(
      response,
      200,
      page(words.waiting, `<p>The code is <b>${safe(userCode)}</b>.</p>\n${accounts(people, userCode)}`),
    )
  }

const codeForm = '<form><input name="user_code" autofocus aria-label="code"> <button>Go on</button></form>'

const accounts = (people: readonly DemoPerson[], userCode: string): string =>
  people.map((one) => accountForm(one, userCode)).join('\n')

const accountForm = ({ username, name, email, groups }: DemoPerson, userCode: string): string =>
  `<form method="post"><input type="hidden" name="user_code" value="${safe(userCode)}">` +
  `<button name="account" value="${safe(username)}">${safe(name)}</button> ` +
  `<small>${safe(email)}${groups.length > 0 ? `, in ${safe(groups.join(', '))}` : ''}</small></form>`

const page = (title: string, body = ''): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>Lanyard demo login</title><h1>${safe(title)}</h1>\n${body}\n</html>\n`

const safe = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`)

function send(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  })
  response.end(html)
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  request.setEncoding('utf8')
  for await (const part of request) {
    text += part
    if (text.length > mostBytes) break
  }
  return new URLSearchParams(text)
}
