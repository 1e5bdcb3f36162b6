// A warehouse for those who have no default one: without, nothing could be listed or asked.

/** By role; null where the role may use none. */
const byRole = new Map<string, string | null>();

/** What statements of a role run in that name no warehouse. Undefined: it was not needed yet. */
export function standInOf(role: string | null | undefined): string | null | undefined {
  return byRole.get(role ?? '');
}

export function rememberStandIn(role: string | null | undefined, warehouse: string | null): void {
  byRole.set(role ?? '', warehouse);
}

/** Another user may use other warehouses. */
export function forgetStandIns(): void {
  byRole.clear();
}
