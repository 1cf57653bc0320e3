import { isDeepStrictEqual } from 'node:util'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import { authorityProblem, refProblem } from '../../fleet/field-problems.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import type { NamedSecret } from '../../fleet/secret-rights.ts'
import { mistakeOf } from './fields.ts'

type Smtp = NonNullable<MailProvider['spec']>['smtp']

/** What is wrong with a MailProvider, as far as that can be said without asking anybody. */
export function mailMistakes({ spec }: MailProvider): Mistake[] {
  if (!spec) return [mistake('spec.smtp', 'is required: say which server takes the mail')]
  const { smtp } = spec
  return [
    ...loginMistakes(smtp),
    ...mistakeOf('spec.smtp.certificateAuthority', smtp.certificateAuthority, authorityProblem),
    ...mistakeOf('spec.smtp.host', smtp.host, (host) =>
      /^[\w.:-]+$/.test(host) ? undefined : 'must be a name or an address, without a scheme and a port',
    ),
  ]
}

function loginMistakes({ username, passwordRef }: Smtp): Mistake[] {
  if (!username && !passwordRef) return []
  if (!passwordRef) return [mistake('spec.smtp.passwordRef', 'is required with username')]
  if (!username) return [mistake('spec.smtp.username', 'is required with passwordRef')]
  if (!passwordRef.key) return [mistake('spec.smtp.passwordRef.key', 'is required: say where in the Secret it is')]
  const problem = refProblem(passwordRef)
  return problem === undefined ? [] : [mistake('spec.smtp.passwordRef', problem, passwordRef)]
}

/** The one that sends where none is named is one. What is switched off sends nothing and is in nobody's way. */
export function defaultTaken(provider: MailProvider, others: readonly MailProvider[]): Mistake[] {
  const isDefault = ({ spec }: MailProvider) => spec?.default === true && spec.disabled !== true
  if (!isDefault(provider)) return []
  const other = others.find((one) => one.metadata?.name !== provider.metadata?.name && isDefault(one))
  if (!other) return []
  return [mistake('spec.default', 'another MailProvider is the default already; there is one at most')]
}

/** The password goes where the same block says, so it counts as soon as anything in it changes. */
export function mailSecretsPutToUse({ spec }: MailProvider, old: MailProvider | undefined): NamedSecret[] {
  const ref = spec?.smtp.passwordRef
  const isEnabled = old?.spec?.disabled === true && spec?.disabled !== true
  if (!ref || (!isEnabled && isDeepStrictEqual(spec.smtp, old?.spec?.smtp))) return []
  return [{ field: 'spec.smtp.passwordRef', ref }]
}

export function mailWarnings({ spec }: MailProvider): string[] {
  const { disableTLS, insecureSkipVerify, username } = spec?.smtp ?? {}
  const warnings: string[] = []
  if (disableTLS) warnings.push(`spec.smtp.disableTLS: mail${username ? ' and password are' : ' is'} sent in the clear`)
  else if (insecureSkipVerify)
    warnings.push('spec.smtp.insecureSkipVerify: whoever answers is believed; give certificateAuthority instead')
  return warnings
}
