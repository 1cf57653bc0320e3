/** Of the Role that lets the agents of a cluster ask for tokens of an add-on, and of its RoleBinding. */
export const tokenBinding = (addon: string): string => `${addon}-token-role`
