import { catalogue } from './failure.ts'

export const failures = catalogue({
  KEEP_UNREADABLE: [
    500,
    'the pass kept in {path} cannot be read; if it is damaged, remove it and a new pass is asked for',
  ],
  CONFIG_UNREADABLE: [500, 'cannot read the configuration file {file}: {detail}'],
  CONFIG_OF_OTHERS: [
    403,
    'the configuration file {file} lies in this folder, but belongs to another user or is open for everybody to write; name it with --config if it is to count, or work in another folder',
  ],
  CONFIG_SYNTAX: [400, '{origin} is not valid YAML ({detail}); correct the line and try again'],
  CONFIG_UNKNOWN_KEY: [400, '{field} ({origin}) is not a setting{hint}'],
  CONFIG_WRONG_VALUE: [400, '{field} ({origin}) {problem}'],
  CONFIG_MISSING: [400, '{field} must be set: in the file, by {flag} or by {env}'],
  CONFIG_SECRET_INLINE: [
    400,
    '{field} ({origin}) is a secret: put it in a file of its own and name that file in {file}',
  ],
  CONFIG_SECRET_UNREADABLE: [400, 'cannot read the file that {field} ({origin}) names: {detail}'],
  CONFIG_INVALID: [400, 'the configuration has {count} mistakes: {mistakes}'],
  EGRESS_DENIED: [
    403,
    'the setting reach.egress does not let the hub connect to {host}; where that is a place to go to, the administrator of the hub allows its network there',
  ],
  METRIC_BAD_NAME: [500, 'the {kind} {name} must be called lanyard_<area>_<noun>_<unit>, with a unit out of {units}'],
  METRIC_CONFLICT: [500, '{name} is already declared as another metric: {detail}'],
  METRIC_UNKNOWN_LABEL: [500, '{name} has no label {label} with the value given; declare every value beforehand'],
})
