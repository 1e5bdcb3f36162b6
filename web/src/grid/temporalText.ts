// Dates and times from the wire's numbers to ISO text and back. All arithmetic is on whole days,
// whole seconds and the text of the fraction, so that no digit is lost on the way.

const SECONDS_PER_DAY = 86_400;
const WIRE_NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/;

export interface Instant {
  /** Rounded down, so that the fraction always counts forward. */
  seconds: number;
  /** Nine digits. */
  fraction: string;
}

export function parseInstant(wire: string): Instant | null {
  const match = WIRE_NUMBER.exec(wire);
  if (!match) return null;
  const whole = Number(match[2]);
  if (!Number.isSafeInteger(whole)) return null;
  const fraction = (match[3] ?? '').padEnd(9, '0').slice(0, 9);
  if (match[1] !== '-') return { seconds: whole, fraction };
  if (/^0*$/.test(fraction)) return { seconds: whole === 0 ? 0 : -whole, fraction };
  const upward = String(1_000_000_000 - Number(fraction)).padStart(9, '0');
  return { seconds: -whole - 1, fraction: upward };
}

/** Proleptic Gregorian calendar, for any year. */
export function dateOfDay(day: number): string {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const sign = year < 0 ? '-' : '';
  return `${sign}${String(Math.abs(year)).padStart(4, '0')}-${two(month)}-${two(dayOfMonth)}`;
}

export function dayOfDate(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function dateText(wire: string): string {
  return /^-?\d{1,8}$/.test(wire) ? dateOfDay(Number(wire)) : wire;
}

export function timeText(wire: string): string {
  const instant = parseInstant(wire);
  if (!instant || instant.seconds < 0 || instant.seconds > SECONDS_PER_DAY) return wire;
  return clock(instant.seconds) + shownFraction(instant.fraction);
}

export function timestampText(wire: string): string {
  const instant = parseInstant(wire);
  return instant ? instantText(instant, 0) : wire;
}

/** The wire says the instant in UTC and the offset in minutes plus 1440. */
export function timestampTzText(wire: string): string {
  const [epoch = '', shiftedOffset = ''] = wire.split(' ');
  const instant = parseInstant(epoch);
  if (!instant || !/^\d{1,4}$/.test(shiftedOffset)) return wire;
  const offset = Number(shiftedOffset) - 1440;
  return `${instantText(instant, offset)} ${offsetText(offset)}`;
}

export function timestampLtzText(wire: string, timeZone: string): string {
  const instant = parseInstant(wire);
  if (!instant) return wire;
  const offset = zoneOffsetMinutes(timeZone, instant.seconds);
  return `${instantText(instant, offset)} ${offsetText(offset)}`;
}

function instantText(instant: Instant, offsetMinutes: number): string {
  const local = instant.seconds + offsetMinutes * 60;
  const day = Math.floor(local / SECONDS_PER_DAY);
  const inDay = local - day * SECONDS_PER_DAY;
  return `${dateOfDay(day)} ${clock(inDay)}${shownFraction(instant.fraction)}`;
}

function clock(secondsOfDay: number): string {
  const hours = Math.floor(secondsOfDay / 3600);
  const minutes = Math.floor((secondsOfDay % 3600) / 60);
  return `${two(hours)}:${two(minutes)}:${two(secondsOfDay % 60)}`;
}

function shownFraction(fraction: string): string {
  if (fraction === '000000000') return '';
  if (fraction.endsWith('000000')) return `.${fraction.slice(0, 3)}`;
  if (fraction.endsWith('000')) return `.${fraction.slice(0, 6)}`;
  return `.${fraction}`;
}

function offsetText(minutes: number): string {
  const absolute = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}${two(absolute % 60)}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const zoneFormats = new Map<string, Intl.DateTimeFormat | null>();
const zoneOffsets = new Map<string, number>();

function zoneOffsetMinutes(timeZone: string, seconds: number): number {
  if (timeZone === 'UTC') return 0;
  // No zone changes its offset more often than at quarters of an hour.
  const quarter = Math.floor(seconds / 900);
  const key = `${timeZone} ${quarter}`;
  const known = zoneOffsets.get(key);
  if (known !== undefined) return known;
  if (zoneOffsets.size > 50_000) zoneOffsets.clear();
  const offset = computeZoneOffset(timeZone, quarter * 900);
  zoneOffsets.set(key, offset);
  return offset;
}

function computeZoneOffset(timeZone: string, seconds: number): number {
  let format = zoneFormats.get(timeZone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    } catch {
      format = null;
    }
    zoneFormats.set(timeZone, format);
  }
  const limited = Math.min(Math.max(seconds, -8.64e12), 8.64e12);
  const name = format?.formatToParts(limited * 1000).find((part) => part.type === 'timeZoneName');
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name?.value ?? '');
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

const ISO =
  /^(-?\d{1,6})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(?:Z|([+-])(\d{2}):?(\d{2}))?)?$/;

/** What a person typed, as the wire's number for a comparison; null if it is no date or time. */
export function wireOfTyped(typed: string, type: string, timeZone: string): string | null {
  if (type === 'time') {
    const time = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?$/.exec(typed);
    if (!time) return null;
    const seconds = Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0);
    return `${seconds}${time[4] ?? ''}`;
  }
  const match = ISO.exec(typed);
  if (!match) return null;
  const day = dayOfDate(Number(match[1]), Number(match[2]), Number(match[3]));
  if (type === 'date') return String(day);
  const clockSeconds =
    Number(match[4] ?? 0) * 3600 + Number(match[5] ?? 0) * 60 + Number(match[6] ?? 0);
  const local = day * SECONDS_PER_DAY + clockSeconds;
  const written = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0);
  const offset = match[8]
    ? written * (match[8] === '-' ? -1 : 1)
    : type === 'timestamp_ltz'
      ? zoneOffsetMinutes(timeZone, local)
      : 0;
  const seconds = local - offset * 60;
  const fraction = match[7];
  if (!fraction || /^0*$/.test(fraction)) return String(seconds);
  if (seconds >= 0) return `${seconds}.${fraction}`;
  const upward = 10 ** fraction.length - Number(fraction);
  return `-${-seconds - 1}.${String(upward).padStart(fraction.length, '0')}`;
}
