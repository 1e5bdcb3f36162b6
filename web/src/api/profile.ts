// The operators that a statement ran, as the server kept them.
import { send } from './http';

export interface ProfiledOperator {
  id: number;
  /** The operator that takes its rows; null of the first. */
  parent: number | null;
  operator: string;
  object: string | null;
  expressions: string | null;
  /** Rows that it gave; null where policies hide them. */
  rows: number | null;
  /** Of all threads together. */
  milliseconds: number;
  /** Of the time of all operators, 0 to 1. */
  share: number;
}

export interface Profile {
  milliseconds: number;
  /** Parents before children. */
  operators: ProfiledOperator[];
}

export type ProfileAnswer =
  | { kind: 'profile'; profile: Profile }
  | { kind: 'running' }
  /** It ran without being profiled, failed, or is not kept any more. */
  | { kind: 'none'; message: string };

interface WireOperator {
  id: number;
  parent?: number | null;
  operator: string;
  details?: { object?: string; expressions?: string };
  rows?: number | null;
  milliseconds?: number;
  share?: number;
}

interface WireProfile {
  milliseconds?: number;
  operators?: WireOperator[];
  message?: string;
}

export async function fetchProfile(handle: string, signal?: AbortSignal): Promise<ProfileAnswer> {
  const path = `/api/v2/statements/${encodeURIComponent(handle)}/profile`;
  const response = await send(path, { accept: [202, 404, 422], signal });
  if (response.status === 202) return { kind: 'running' };
  const body = (await response.json()) as WireProfile;
  if (!response.ok) return { kind: 'none', message: body.message ?? '' };
  return { kind: 'profile', profile: profileOf(body) };
}

export function profileOf({ milliseconds = 0, operators = [] }: WireProfile): Profile {
  return {
    milliseconds,
    operators: operators.map((one) => ({
      id: one.id,
      parent: one.parent ?? null,
      operator: one.operator,
      object: one.details?.object ?? null,
      expressions: one.details?.expressions ?? null,
      rows: one.rows ?? null,
      milliseconds: one.milliseconds ?? 0,
      share: Math.min(Math.max(one.share ?? 0, 0), 1),
    })),
  };
}
