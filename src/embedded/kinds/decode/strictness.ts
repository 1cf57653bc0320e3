import { fieldErrorText } from '../../../core/schema/field-errors.ts'
import { sortedJson } from '../../../core/schema/schema.ts'
import { splitApiVersion } from '../../objects.ts'
import { ApiFailure, badRequest } from '../../status.ts'
import { Undecodable } from './unfit.ts'

export type FieldValidation = 'Ignore' | 'Strict' | 'Warn'

/** The request that flaws were found in. */
export interface Reader {
  readonly served: { readonly apiVersion: string; readonly kind: { readonly kind: string } }
  /** For a Warning header (299) of the answer. */
  warn(message: string): void
}

/**
 * What becomes of the flaws of an object: warnings, nothing, or with Strict the 400 of a create or an update. What a
 * patch is refused with, `patchFailure` makes of that; an apply has `applyStrictnessToText`.
 */
export function applyStrictness(flaws: readonly string[], validation: FieldValidation, { served, warn }: Reader): void {
  if (flaws.length === 0 || validation === 'Ignore') return
  if (validation === 'Warn') for (const flaw of flaws) warn(flaw)
  else {
    const { version } = splitApiVersion(served.apiVersion)
    throw new Undecodable(served.kind.kind, version, `strict decoding error: ${listed(flaws)}`)
  }
}

/** The flaws of a server-side apply are those of its text: unknown fields are refused whatever is asked for. */
export function applyStrictnessToText(flaws: readonly string[], validation: FieldValidation, { warn }: Reader): void {
  if (flaws.length === 0 || validation === 'Ignore') return
  if (validation === 'Warn') for (const flaw of flaws) warn(flaw)
  else throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${listed(flaws)}`)
}

/**
 * All flaws of an object, those of the text first, as for a custom resource. The decoder of a built-in kind does not
 * look into fields that it does not know, so what the text repeats in there goes unreported.
 */
export function allFlaws(ofText: readonly string[], ofObject: readonly string[], isCustom: boolean): readonly string[] {
  if (ofText.length === 0) return ofObject
  if (isCustom || ofObject.length === 0) return [...ofText, ...ofObject]
  const unknown = ofObject.map((flaw) => flaw.slice('unknown field "'.length, -1))
  const isInUnknown = (flaw: string) =>
    unknown.some((path) => ['"', '.', '['].some((end) => flaw.startsWith(`duplicate field "${path}${end}`)))
  return [...ofText.filter((flaw) => !isInUnknown(flaw)), ...ofObject]
}

/** A decoding failure as a PATCH tells it: a 422 that shows what the patch would have made. Anything else as it is. */
export function patchFailure(error: unknown, patched: unknown): unknown {
  return error instanceof Undecodable ? invalidPatch(JSON.stringify(sortedJson(patched)), error.why) : error
}

export function invalidPatch(shown: string, why: string): ApiFailure {
  const field = 'patch'
  const message = `Invalid value: ${shown}: ${why}`
  const text = fieldErrorText({ reason: 'FieldValueInvalid', field, message })
  return new ApiFailure(422, 'Invalid', ` "" is invalid: ${text}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field }],
  })
}

/** Flaws of YAML have lines of their own. */
function listed(flaws: readonly string[]): string {
  const lines = flaws.filter(isOfYaml)
  const rest = flaws.filter((flaw) => !isOfYaml(flaw))
  const yaml = lines.length === 0 ? [] : [`yaml: unmarshal errors:\n${lines.map((line) => `  ${line}`).join('\n')}`]
  return [...yaml, ...rest].join(', ')
}

const isOfYaml = (flaw: string): boolean => /^line \d+: /.test(flaw)
