import { describe, expect, it } from 'vitest';
import { cellText, shownCellText, sqlTypeName } from './cellText';
import { dateOfDay, dayOfDate, wireOfTyped } from './temporalText';

describe('cells as people read them', () => {
  it.each([
    ['date', '20735', '2026-10-09'],
    ['date', '-25567', '1900-01-01'],
    ['date', '0', '1970-01-01'],
    ['date', '-719162', '0001-01-01'],
    ['date', '2932896', '9999-12-31'],
    ['date', '11016', '2000-02-29'],
    ['date', '09/10/2026', '09/10/2026'],
    ['time', '45296.123456789', '12:34:56.123456789'],
    ['time', '45296.120000000', '12:34:56.120'],
    ['time', '0.000000000', '00:00:00'],
    ['time', '12.34.56', '12.34.56'],
    ['timestamp_ntz', '1791549296.123456789', '2026-10-09 12:34:56.123456789'],
    ['timestamp_ntz', '1791549296.123456000', '2026-10-09 12:34:56.123456'],
    ['timestamp_ntz', '1791549296', '2026-10-09 12:34:56'],
    ['timestamp_ntz', '-0.250000000', '1969-12-31 23:59:59.750'],
    ['timestamp_ntz', '-1.000000000', '1969-12-31 23:59:59'],
    ['timestamp_ntz', '-62135596800.000', '0001-01-01 00:00:00'],
    ['timestamp_ntz', '-62198755200', '-0001-01-01 00:00:00'],
    ['timestamp_tz', '1791524096.123456789 1860', '2026-10-09 12:34:56.123456789 +0700'],
    ['timestamp_tz', '0.000000000 1110', '1969-12-31 18:30:00 -0530'],
    ['timestamp_tz', 'Fri, 09 Oct 2026', 'Fri, 09 Oct 2026'],
    ['fixed', '12345678901234567890123456789012345.678', '12345678901234567890123456789012345.678'],
    ['real', 'NaN', 'NaN'],
    ['boolean', 'true', 'true'],
    ['binary', 'DEADBEEF', 'DEADBEEF'],
    [
      'variant',
      '{\n  "a": 1,\n  "b": [\n    undefined,\n    "x: [ ,\\" y"\n  ]\n}',
      '{"a": 1, "b": [undefined, "x: [ ,\\" y"]}',
    ],
    ['variant', '[]', '[]'],
    ['variant', 'null', 'null'],
    ['vector', '[1.000000,2.000000]', '[1.000000,2.000000]'],
    ['text', ' <img src=x onerror=alert(1)> ', ' <img src=x onerror=alert(1)> '],
    ['FIXED', '1', '1'],
  ])('%s %s is %s', (type, wire, expected) => {
    expect(cellText(wire, { type })).toBe(expected);
  });

  it('shows TIMESTAMP_LTZ in the session’s time zone, before and after the clocks change', () => {
    const column = { type: 'timestamp_ltz' };
    expect(cellText('1774745999', column, 'Europe/Oslo')).toBe('2026-03-29 01:59:59 +0100');
    expect(cellText('1774746000', column, 'Europe/Oslo')).toBe('2026-03-29 03:00:00 +0200');
    expect(cellText('0', column)).toBe('1970-01-01 00:00:00 +0000');
    expect(cellText('0', column, 'Nowhere/Land')).toBe('1970-01-01 00:00:00 +0000');
  });

  it('keeps a cell in one line of bounded length', () => {
    expect(shownCellText('a\nb\tc\r\nd', { type: 'text' })).toBe('a↵b⇥c↵d');
    expect(shownCellText('x'.repeat(1_000_000), { type: 'text' })).toHaveLength(601);
  });

  it('agrees with the calendar of the browser for 4,000 years', () => {
    for (let day = -730_000; day < 730_000; day += 97) {
      const iso = new Date(day * 86_400_000).toISOString();
      const expected = iso.slice(0, iso.indexOf('T'));
      if (!expected.startsWith('-')) expect(dateOfDay(day)).toBe(expected);
      const [, year, month, date] = /^(-?\d+)-(\d+)-(\d+)$/.exec(dateOfDay(day)) ?? [];
      expect(dayOfDate(Number(year), Number(month), Number(date))).toBe(day);
    }
  });

  it.each([
    ['2026-10-09', 'date', '20735'],
    ['12:34:56.5', 'time', '45296.5'],
    ['2026-10-09 12:34:56.25', 'timestamp_ntz', '1791549296.25'],
    ['2026-10-09', 'timestamp_ntz', '1791504000'],
    ['2026-10-09 12:34:56 +0700', 'timestamp_tz', '1791524096'],
    ['1969-12-31 23:59:59.75', 'timestamp_ntz', '-0.25'],
    ['yesterday', 'date', null],
  ])('reads %s for a %s', (typed, type, wire) => {
    expect(wireOfTyped(typed, type, 'UTC')).toBe(wire);
  });

  it.each([
    [{ type: 'fixed', precision: 12, scale: 2 }, 'NUMBER(12, 2)'],
    [{ type: 'text', length: 10 }, 'VARCHAR(10)'],
    [{ type: 'real' }, 'FLOAT'],
    [{ type: 'timestamp_ntz', scale: 3 }, 'TIMESTAMP_NTZ(3)'],
    [{ type: 'timestamp_tz', scale: 9 }, 'TIMESTAMP_TZ'],
    [{ type: 'variant' }, 'VARIANT'],
  ])('%o is written %s', (column, name) => {
    expect(sqlTypeName(column)).toBe(name);
  });
});
