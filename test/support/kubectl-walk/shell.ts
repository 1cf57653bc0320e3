import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventually } from '../eventually.ts'
import { normalise } from './normalise.ts'
import type { Chapter, Command, Run, Settle, Step, Watch } from './step.ts'
import { wordsOf } from './step.ts'

/** One version of kubectl on one plane, in one chapter. */
export interface Shell {
  program: string
  kubeconfig: string
  namespace: string
  version: string
  /** Where the files of the chapter are, and commands are run. */
  folder: string
  /** Where kubectl remembers what it has discovered. */
  home: string
}

interface Output {
  stdout: string
  stderr: string
  exit: number | string
}

const patienceMs = 60_000

export function writeFiles(folder: string, version: string, { files = {} }: Chapter): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, forVersion(typeof content === 'string' ? content : JSON.stringify(content, null, 2), version))
  }
}

export const forVersion = (text: string, version: string): string => text.replaceAll('$v', version)

/** What the step says on this plane, in a form that can be compared. */
export async function take(shell: Shell, step: Step): Promise<string> {
  if (typeof step === 'string') return await runStep(shell, { run: step })
  if ('run' in step) return await runStep(shell, step)
  return 'settle' in step ? await settle(shell, step) : await watch(shell, step)
}

async function runStep(shell: Shell, step: Run): Promise<string> {
  const { stdout, stderr, exit } = await (await kubectl(shell, step.run, step)).ended
  const said = normalise(`${ended(stdout)}${marked(stderr)}exit ${exit}`).replaceAll(shell.home, '<home>')
  return step.unordered ? said.split('\n').toSorted().join('\n') : said
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
const marked = (stderr: string): string => ended(stderr).replace(/^(?=.)/gm, '! ')

async function settle(shell: Shell, { settle: command }: Settle): Promise<string> {
  const succeeds = async () => await once(shell, command).then(() => true)
  await eventually(`kubectl ${command} succeeds`, succeeds, { withinMs: patienceMs })
  return ''
}

async function once(shell: Shell, command: Command): Promise<void> {
  const { stdout, stderr, exit } = await (await kubectl(shell, command)).ended
  assert.equal(exit, 0, `kubectl ${command}: ${stdout}${stderr}`)
}

async function watch(shell: Shell, { watch: command, begun, during, lines }: Watch): Promise<string> {
  const { output, ended, end } = await kubectl(shell, command)
  const complete = () => output.stdout.split('\n').slice(0, -1)
  const hasBegun = () => output.stdout !== '' && output.stdout.includes(begun ?? '')
  const hasEnough = () => complete().length >= lines
  const act = async () => {
    for (const other of during) await once(shell, other)
  }
  try {
    if (begun !== undefined) {
      await eventually(`${command} says ${begun}`, hasBegun, { withinMs: patienceMs })
      await act()
    }
    const look = async () => {
      if (begun === undefined) await act()
      return hasEnough()
    }
    await eventually(`${command} says ${lines} lines`, look, { withinMs: patienceMs })
  } catch (error) {
    throw new Error(`${(error as Error).message}; it said:\n${output.stdout}${output.stderr}`)
  } finally {
    end()
    await ended
  }
  return normalise(complete().slice(0, lines).join('\n'))
}

/** What the commands within a command say is put in their place. */
async function filledIn(shell: Shell, command: Command): Promise<Command> {
  const [whole, inner] = /\$\((.*?)\)/.exec(command) ?? []
  if (!whole || !inner) return command
  const { stdout } = await (await kubectl(shell, inner)).ended
  return await filledIn(shell, command.replace(whole, stdout.trim()))
}

async function kubectl(shell: Shell, command: Command, { stdin = '', editor = 'exit 1' }: Partial<Run> = {}) {
  const { program, kubeconfig, namespace, version, folder, home } = shell
  const common = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`]
  const words = wordsOf(forVersion(await filledIn(shell, command), version))
  const env = {
    HOME: home,
    // Where it finds diff and sh.
    PATH: process.env['PATH'],
    // There are thousands of short runs, whose rubbish nobody need collect.
    ...{ GOGC: 'off', GOMEMLIMIT: '512MiB', GOMAXPROCS: '1' },
    KUBE_EDITOR: script(home, forVersion(editor, version)),
  }
  const child = spawn(program, [...common, ...words], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const output: Output = { stdout: '', stderr: '', exit: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output.stderr += chunk
  })
  // A command that reads nothing may have ended before all was written.
  child.stdin.on('error', () => {}).end(forVersion(stdin, version))
  const end = () => {
    child.kill('SIGKILL')
    // A program that it has started may live on, and hold them.
    child.stdout.destroy()
    child.stderr.destroy()
  }
  const impatience = setTimeout(end, patienceMs)
  const ended = new Promise<Output>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(impatience)
      resolve(Object.assign(output, { exit: code ?? String(signal) }))
    })
  })
  return { output, ended, end }
}

function script(home: string, lines: string): string {
  const path = join(home, 'editor.sh')
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o700)
  return path
}
