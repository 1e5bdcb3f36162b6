import { describe, expect, it } from 'vitest';
import { parseStageAddress, stageAddress } from '../api/stagePath';
import { checkYaml, offsetOf } from './checkYaml';
import { modelName, nameInYaml } from './model';
import { TEMPLATE } from './modelTemplate';

describe('names of models', () => {
  it('are the last part of the path', () => {
    expect(modelName({ kind: 'view', path: 'DEMO.PUBLIC.RETAIL' })).toBe('RETAIL');
    expect(modelName({ kind: 'view', path: 'DEMO.PUBLIC."a.""b"' })).toBe('a."b');
    expect(modelName({ kind: 'file', address: '@A.B.C/x/shop.yaml' })).toBe('shop.yaml');
  });

  it('are read from the YAML', () => {
    expect(nameInYaml('# x\nname: shop # comment\ntables: []')).toBe('shop');
    expect(nameInYaml('name: "a b"')).toBe('a b');
    expect(nameInYaml('tables:\n- name: orders')).toBe('');
  });

  it.each([
    [String.raw`"my <b>'quo\"ted"`, `my <b>'quo"ted`],
    [String.raw`"a\\b\x41\u00e9\U0001F600"`, 'a\\bAé😀'],
    ["'it''s' # comment", "it's"],
    ['a#b # comment', 'a#b'],
    ['"two\n  lines"', 'two lines'],
    ['""', ''],
  ])('are read as YAML has them: %s', (written, name) => {
    expect(nameInYaml(`# x\nname: ${written}\ntables: []`)).toBe(name);
  });
});

describe('paths of staged files', () => {
  it('are read and written', () => {
    const parsed = parseStageAddress('@demo.PUBLIC."my stage"/a/b.yaml');
    expect(parsed).toEqual({
      place: { database: 'DEMO', schema: 'PUBLIC', stage: 'my stage' },
      path: 'a/b.yaml',
    });
    expect(parsed && stageAddress(parsed.place, parsed.path)).toBe(
      '@DEMO.PUBLIC."my stage"/a/b.yaml',
    );
  });

  it('name a file on a stage of a schema', () => {
    for (const wrong of ['@s/x.yaml', 'A.B.C/x.yaml', '@A.B.C', '@A.B.C/', '@~/x.yaml']) {
      expect(parseStageAddress(wrong)).toBeNull();
    }
  });
});

describe('the check of the page', () => {
  it('takes the text that it begins with', () => {
    expect(checkYaml(TEMPLATE)).toEqual([]);
  });

  it.each([
    ['', 1, 1],
    ['name: a\ntables:\n\t- x', 3, 1],
    ['name: a\ntables: [1, 2', 2, 14],
    ['tables: []', 1, 1],
  ])('finds what is wrong in %j', (text, line, column) => {
    const [first] = checkYaml(text);
    expect(first).toMatchObject({ line, column, severity: 'error' });
  });

  it('finds the place of a line and column', () => {
    expect(offsetOf('ab\ncd\n', 2, 2)).toBe(4);
    expect(offsetOf('ab\ncd', 2, 99)).toBe(5);
    expect(offsetOf('ab', 9, 1)).toBe(2);
  });
});
