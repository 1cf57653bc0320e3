import type { Refusal } from './refusal.ts'

/** Of IAM and STS: the form of what a call gives. */
export const inputRefusals = {
  VALUE_MISSING: {
    code: 'ValidationError',
    status: 400,
    says: "1 validation error detected: Value null at '{member}' failed to satisfy constraint: Member must not be null",
    when: 'a parameter is missing',
  },
  VALUE_TOO_LONG: {
    code: 'ValidationError',
    status: 400,
    says: "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have length less than or equal to {limit}",
    when: 'a name, tag, description or list is longer than AWS takes',
  },
  VALUE_TOO_SHORT: {
    code: 'ValidationError',
    status: 400,
    says: "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have length greater than or equal to {limit}",
    when: 'a name, ARN or document is shorter than AWS takes',
  },
  VALUE_MALFORMED: {
    code: 'ValidationError',
    status: 400,
    says: "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must satisfy regular expression pattern: {pattern}",
    when: 'a name, path, tag or ARN holds characters AWS does not take',
  },
  VALUE_OUT_OF_RANGE: {
    code: 'ValidationError',
    status: 400,
    says: "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have value between {least} and {most}",
    when: 'a number is out of its range',
  },
  MARKER_UNKNOWN: {
    code: 'ValidationError',
    status: 400,
    says: 'Invalid Marker: {marker}',
    when: 'a list goes on from a marker that was not given out',
  },
  TAG_RESERVED: {
    code: 'InvalidInput',
    status: 400,
    says: 'Tag keys that begin with aws: are reserved: {key}',
    when: 'a tag key begins with aws:',
  },
  TAG_TWICE: {
    code: 'InvalidInput',
    status: 400,
    says: 'Duplicate tag keys found. Please note that Tag keys are case insensitive.',
    when: 'two tags of one call have the same key, whatever its case',
  },
} as const satisfies Record<string, Refusal>
