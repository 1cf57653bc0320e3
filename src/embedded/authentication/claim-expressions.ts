import type { Program } from '../cel/cel.ts'
import { compile, compileCondition } from '../cel/cel.ts'

/** Expressions of an AuthenticationConfiguration: about the claims of a token, or about the user they make. */
export const compileClaims = (expression: string): Program => compile(expression, ['claims'])

export const compileClaimsCondition = (expression: string): Program => compileCondition(expression, ['claims'])

const user = { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' }

export const compileUserCondition = (expression: string): Program => compileCondition(expression, { user })

const names = (claim: string) => new RegExp(`\\bclaims\\s*\\.\\s*\\??\\s*${claim}\\b`)
const [email, emailVerified] = [names('email'), names('email_verified')]

export const usesEmail = (expression: string): boolean => email.test(expression)
export const usesEmailVerified = (expression: string): boolean => emailVerified.test(expression)
