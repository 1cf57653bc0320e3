import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  GROUPS_UNREADABLE: [502, 'the groups of {provider} cannot be read: {detail}'],
  GROUP_AMBIGUOUS: [422, '{provider} has {count} groups named {group}: name it by its path, which begins with /'],
})
