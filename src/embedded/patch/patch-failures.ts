import { ApiFailure, badRequest } from '../status.ts'

/** A patch that was understood and cannot be done. The real server does not say why either. */
export const rejected = () =>
  new ApiFailure(422, 'Invalid', 'the server rejected our request due to an error in our request', {})

const typeName = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value

export const cannotDecode = (value: unknown, into: string) =>
  badRequest(`error decoding patch: json: cannot unmarshal ${typeName(value)} into Go ${into}`)
