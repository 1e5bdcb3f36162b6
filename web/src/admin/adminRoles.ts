// Who sees the page: users with a role that manages users, roles or warehouses.
const ADMIN_ROLES = ['ACCOUNTADMIN', 'SECURITYADMIN', 'USERADMIN', 'SYSADMIN'];

export function mayAdminister(roles: readonly string[]): boolean {
  return roles.some((role) => ADMIN_ROLES.includes(role));
}

/** The roles that the user could change to for more on this page. */
export function adminRolesOf(roles: readonly string[]): string[] {
  return ADMIN_ROLES.filter((role) => roles.includes(role));
}
