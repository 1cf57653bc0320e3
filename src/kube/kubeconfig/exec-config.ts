import { Secret } from '../../core/secret.ts'
import { defined } from './defined.ts'
import type { Fields, Rest } from './fields.ts'
import { restOnWire } from './fields.ts'

/** The `exec` of a user: a program that prints a credential. Arguments and environment may hold secrets. */
export interface KubeconfigExec {
  /** `client.authentication.k8s.io/v1` or `/v1beta1`. */
  apiVersion: string
  /** Looked up in PATH; with a separator in it, relative to the folder of the kubeconfig. */
  command: string
  args?: readonly Secret[]
  env?: readonly { name: string; value: Secret }[]
  installHint?: string
  provideClusterInfo?: boolean
  /** Whether the plugin talks to its user: `Never`, `IfAvailable` or `Always`. Default IfAvailable for v1beta1, none for v1. */
  interactiveMode?: string
  rest?: Rest
}

export function readExec(fields: Fields): KubeconfigExec {
  const env = fields.list('env').map((variable) => {
    const name = variable.text('name')
    if (!name) throw variable.refuse('name', 'is missing')
    return { name, value: Secret.of(variable.text('value') ?? '') }
  })
  return defined({
    apiVersion: fields.text('apiVersion') ?? '',
    command: fields.text('command') ?? '',
    args: fields.texts('args')?.map((arg) => Secret.of(arg)),
    env: env.length > 0 ? env : undefined,
    installHint: fields.text('installHint'),
    provideClusterInfo: fields.flag('provideClusterInfo'),
    interactiveMode: fields.text('interactiveMode'),
    rest: fields.rest(),
  })
}

export const execOnWire = (exec: KubeconfigExec): Record<string, unknown> =>
  defined({
    apiVersion: exec.apiVersion,
    command: exec.command,
    args: exec.args?.map((arg) => arg.reveal()),
    env: exec.env?.map(({ name, value }) => ({ name, value: value.reveal() })),
    installHint: exec.installHint,
    provideClusterInfo: exec.provideClusterInfo,
    interactiveMode: exec.interactiveMode,
    ...restOnWire(exec.rest),
  })
