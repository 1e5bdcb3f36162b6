import { expect, it } from 'vitest';
import { OWN_STAGE, stageFilesAddress } from './stagePlace';

const inPublic = { database: 'DEMO', schema: 'PUBLIC' };

it('names stand as in SQL, quoted where they need it', () => {
  const check = (place: Parameters<typeof stageFilesAddress>[0], address: string) =>
    expect(stageFilesAddress(place, 'a/b c.csv')).toBe(`/api/v2/${address}/files/a/b%20c.csv`);
  check(OWN_STAGE, 'stages/~');
  check({ ...inPublic, stage: 'LANDING' }, 'databases/DEMO/schemas/PUBLIC/stages/LANDING');
  check(
    { database: 'lower db', schema: 'PUBLIC', stage: 'my table', isOfTable: true },
    'databases/%22lower%20db%22/schemas/PUBLIC/stages/%25%22my%20table%22',
  );
  check(
    { ...inPublic, stage: '100% t', isOfTable: true },
    'databases/DEMO/schemas/PUBLIC/stages/%25%22100%25%20t%22',
  );
  check({ ...inPublic, stage: 'order' }, 'databases/DEMO/schemas/PUBLIC/stages/%22order%22');
});
